import { compiled } from "./watch.js";
import * as slim from "adjudicate/slim";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];

async function main() {
  const { AdjudicateError } = slim;
  const engine = await slim.createEngine(fetch(new URL("npm:adjudicate/engine.wasm", import.meta.url)));
  const loadModule = (bytes, options) => slim.loadModule(bytes, engine, options);
  return reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given);
}

main().then(
  (report) => (globalThis.report = report),
  (error) => (globalThis.report = String(error)),
);

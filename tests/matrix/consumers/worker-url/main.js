import { compiled } from "./watch.js";
import * as adjudicate from "adjudicate";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];

async function main() {
  const { AdjudicateError } = adjudicate;
  const engine = await adjudicate.createEngine();
  const loadModule = (bytes, options) => adjudicate.loadModule(bytes, { ...options, workerUrl: "/gate-worker.js" });
  return reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given);
}

main().then(
  (report) => (globalThis.report = report),
  (error) => (globalThis.report = String(error)),
);

import { compiled } from "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];

async function main() {
  const engine = await createEngine();
  return reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given);
}

main().then(
  (report) => (globalThis.report = report),
  (error) => (globalThis.report = String(error)),
);

import { compiled } from "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];
const engine = await createEngine();
console.log(JSON.stringify(await reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given)));

import "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import { reportOf } from "./questions.js";

console.log(JSON.stringify(await reportOf({ engine: await createEngine(), loadModule, AdjudicateError })));

import "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import { show } from "./questions.js";

show(async () => ({ engine: await createEngine(), loadModule, AdjudicateError }));

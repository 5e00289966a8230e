import "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import { reportOf } from "./questions.js";

export default {
  fetch: async () => Response.json(await reportOf({ engine: await createEngine(), loadModule, AdjudicateError })),
};

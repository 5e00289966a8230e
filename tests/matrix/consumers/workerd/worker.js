import "./watch.js";
import { AdjudicateError, createEngineSync, loadModule } from "adjudicate";
import { reportOf } from "./questions.js";

export default {
  fetch: async () => Response.json(await reportOf({ engine: createEngineSync(), loadModule, AdjudicateError })),
};

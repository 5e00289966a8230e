import { compiled } from "./watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];

export default {
  async fetch() {
    const engine = await createEngine();
    return Response.json(await reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given));
  },
};

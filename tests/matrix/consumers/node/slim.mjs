import { readFile } from "node:fs/promises";

import { compiled } from "./watch.js";
import * as slim from "adjudicate/slim";
import given from "./given.js";
import { reportOf } from "./questions.js";

const atImport = [...compiled];
const { AdjudicateError } = slim;
const engine = await slim.createEngine(readFile(new URL(import.meta.resolve("adjudicate/engine.wasm"))));
const loadModule = (bytes, options) => slim.loadModule(bytes, engine, options);
console.log(JSON.stringify(await reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given)));

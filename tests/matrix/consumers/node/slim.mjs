import { readFile } from "node:fs/promises";

import "./watch.js";
import * as slim from "adjudicate/slim";
import { reportOf, slimParts } from "./questions.js";

const engine = await slim.createEngine(readFile(new URL(import.meta.resolve("adjudicate/engine.wasm"))));
console.log(JSON.stringify(await reportOf(slimParts(slim, engine))));

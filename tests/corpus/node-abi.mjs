// The corpus through the engine module's own interface, without the npm package.

import { readFileSync } from "node:fs";

import { compare, moduleAnswer } from "./parity.mjs";
import { corpus, finish } from "./report.mjs";

const module = new WebAssembly.Module(readFileSync(process.env.ADJUDICATE_ENGINE));
finish(compare("engine.wasm", corpus(), moduleAnswer(module)));

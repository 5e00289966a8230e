// The corpus through the engine module's own interface, without the npm package; and policies that are baked into it.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { compare, compareBaked, moduleAnswer } from "./parity.mjs";
import { corpus, finish } from "./report.mjs";

const { ADJUDICATE_BAKED: folder, ADJUDICATE_ENGINE: engine } = process.env;
const module = new WebAssembly.Module(readFileSync(engine));
const baked = readdirSync(folder).sort().map((file) => [file, new WebAssembly.Module(readFileSync(join(folder, file)))]);
if (baked.length === 0) throw new Error(`there is nothing in ${folder}`);
finish(compare("engine.wasm", corpus(), moduleAnswer(module)), ...(await compareBaked("in Node", corpus(), module, baked)));

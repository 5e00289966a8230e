// The corpus in Node, through four ways. The npm package is imported and required, with both ways to make the engine
// and all forms of a call. Its entry `adjudicate/evaluate` has an engine of its own, with some operations. The engine module's own interface is called without the package. Policies are also baked
// into the module.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import * as imported from "adjudicate";
import { createEngineSync } from "adjudicate/evaluate";

import { bytesAnswer, compare, compareBaked, compareValues, moduleAnswer, offered, textAnswer } from "./parity.mjs";
import { corpus, finish } from "./report.mjs";

const { ADJUDICATE_BAKED: folder, ADJUDICATE_ENGINE: engine } = process.env;
const cases = corpus();
const texts = cases.filter((one) => one.text !== null);
const reports = [];

for (const [how, main] of Object.entries({ imported, required: createRequire(import.meta.url)("adjudicate") })) {
  reports.push(
    compare(`npm package ${how}, strings`, texts, textAnswer(await main.createEngine())),
    compare(`npm package ${how}, bytes`, cases, bytesAnswer(main.createEngineSync())),
    compareValues(`npm package ${how}, values`, cases, main.createEngineSync()),
  );
}

const evaluate = createEngineSync(readFileSync(new URL(import.meta.resolve("adjudicate/evaluate.wasm"))));
reports.push(compare("adjudicate/evaluate", offered(evaluate, cases), bytesAnswer(evaluate)));

const module = new WebAssembly.Module(readFileSync(engine));
const baked = readdirSync(folder).sort().map((file) => [file, new WebAssembly.Module(readFileSync(join(folder, file)))]);
if (baked.length === 0) throw new Error(`there is nothing in ${folder}`);
reports.push(compare("engine.wasm", cases, moduleAnswer(module)), ...(await compareBaked("in Node", cases, module, baked)));
finish(cases, reports);

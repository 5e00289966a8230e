// The script of the page in the browser: the corpus through the npm package, its entry `adjudicate/evaluate` and the engine module.

import { createEngine } from "adjudicate";
import { createEngine as createEvaluate } from "adjudicate/evaluate";

import { bytesAnswer, compare, compareBaked, compareValues, moduleAnswer, offered, readCorpus, textAnswer } from "./parity.mjs";

export async function reports() {
  const cases = readCorpus(await (await fetch("/corpus.ndjson")).text());
  const engine = await createEngine();
  const evaluate = await createEvaluate(fetch(import.meta.resolve("adjudicate/evaluate.wasm")));
  const module = await WebAssembly.compileStreaming(fetch("/engine.wasm"));
  const names = await (await fetch("/baked.json")).json();
  const baked = names.map(async (name) => [name, await WebAssembly.compileStreaming(fetch(`/baked/${name}`))]);
  return [
    compare("npm package in Chromium, strings", cases.filter((one) => one.text !== null), textAnswer(engine)),
    compare("npm package in Chromium, bytes", cases, bytesAnswer(engine)),
    compareValues("npm package in Chromium, values", cases, engine),
    compare("adjudicate/evaluate in Chromium", offered(evaluate, cases), bytesAnswer(evaluate)),
    compare("engine.wasm in Chromium", cases, moduleAnswer(module)),
    ...(await compareBaked("in Chromium", cases, module, await Promise.all(baked))),
  ];
}

// The corpus through the npm package, imported: both ways to make the engine, both ways to give it a call.

import { createEngine, createEngineSync } from "adjudicate";

import { bytesAnswer, compare, textAnswer } from "./parity.mjs";
import { corpus, finish } from "./report.mjs";

const cases = corpus();
finish(
  compare("npm package, strings", cases.filter((one) => one.text !== null), textAnswer(await createEngine())),
  compare("npm package, bytes", cases, bytesAnswer(createEngineSync())),
);

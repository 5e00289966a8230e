// The corpus through the npm package, imported: both ways to make the engine, all ways to give it a call.

import { createEngine, createEngineSync } from "adjudicate";

import { bytesAnswer, compare, compareValues, textAnswer } from "./parity.mjs";
import { corpus, finish } from "./report.mjs";

const cases = corpus();
finish(
  compare("npm package, strings", cases.filter((one) => one.text !== null), textAnswer(await createEngine())),
  compare("npm package, bytes", cases, bytesAnswer(createEngineSync())),
  compareValues("npm package, values", cases, createEngineSync()),
);

// The corpus through the npm package, required: both ways to make the engine, all ways to give it a call.

const { createEngine, createEngineSync } = require("adjudicate");

async function main() {
  const { bytesAnswer, compare, compareValues, textAnswer } = await import("./parity.mjs");
  const { corpus, finish } = await import("./report.mjs");
  const cases = corpus();
  finish(
    compare("npm package, strings", cases.filter((one) => one.text !== null), textAnswer(await createEngine())),
    compare("npm package, bytes", cases, bytesAnswer(createEngineSync())),
    compareValues("npm package, values", cases, createEngineSync()),
  );
}

main();

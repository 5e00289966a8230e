async function main() {
  await import("./watch.js");
  const { AdjudicateError, createEngineSync, loadModule } = require("adjudicate");
  const { reportOf } = await import("./questions.js");
  console.log(JSON.stringify(await reportOf({ engine: createEngineSync(), loadModule, AdjudicateError })));
}

main();

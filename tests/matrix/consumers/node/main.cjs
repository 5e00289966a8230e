async function main() {
  const { compiled } = await import("./watch.js");
  const { AdjudicateError, createEngineSync, loadModule } = require("adjudicate");
  const { default: given } = await import("./given.js");
  const { reportOf } = await import("./questions.js");

  const atImport = [...compiled];
  const engine = createEngineSync();
  console.log(JSON.stringify(await reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given)));
}

main();

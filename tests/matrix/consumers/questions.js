// What every consumer asks of the package, wherever it runs. It imports nothing: consumers hand it what they imported.

/** Asks; what is thrown is told too, in words that cannot be taken for an answer. */
async function told(ask) {
  try {
    return await ask();
  } catch (error) {
    return error?.name === "AdjudicateError" ? JSON.stringify(error) : `not an error of the package: ${error?.stack ?? error}`;
  }
}

/** The answers, what the import had compiled, and whether anything is seen to compile at all. */
export async function reportOf({ atImport, compiled, ...imported }, given) {
  return { answers: await answersOf(imported, given), atImport, later: compiled.length > 0 };
}

/** What `given` asks of an engine and of a module that is loaded, by name. */
async function answersOf({ engine, loadModule, AdjudicateError }, given) {
  const { envelope, policy, envelopes, misspelt, modules, inputs, patient, short } = given;
  const answers = {};
  for (const { name, operation, text } of given.calls) answers[name] = await told(() => engine.callText(operation, text));
  answers.evaluate = await told(() => JSON.stringify(engine.evaluate(envelope, { policy })));
  answers["parsed policy"] = await told(() => engine.policy(policy).evaluateText(JSON.stringify(envelope)));
  answers.batch = await told(() => engine.policy(policy).evaluateBatchText(envelopes));
  answers.error = await told(() => faultOf(() => engine.evaluate(misspelt), AdjudicateError));
  for (const [way, options] of Object.entries({ "a module": undefined, "a module with a deadline": patient })) {
    answers[way] = await told(async () => {
      const module = await loadModule(bytesIn(modules.guest), options);
      const replies = [];
      for (const input of inputs) replies.push(await told(() => module.evaluateText(input)));
      module.dispose();
      return replies;
    });
  }
  answers["an endless module"] = await told(async () => {
    const module = await loadModule(bytesIn(modules.endless), short);
    try {
      return await module.evaluateText(inputs[0]);
    } finally {
      module.dispose();
    }
  });
  return answers;
}

/** What can be told of an error by who catches it. */
function faultOf(run, AdjudicateError) {
  try {
    run();
    return "no error";
  } catch (error) {
    const { code, path } = error;
    return { code, path, isOfTheClass: error instanceof AdjudicateError };
  }
}

function bytesIn(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

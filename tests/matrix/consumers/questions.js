// The calls of every consumer, on every platform. This file imports nothing: consumers pass their own imports.

/** Calls, and returns the answer or the error. The text of an error cannot be mistaken for an answer. */
async function answered(ask) {
  try {
    return await ask();
  } catch (error) {
    return error?.name === "AdjudicateError" ? JSON.stringify(error) : `not an error of the package: ${error?.stack ?? error}`;
  }
}

/** The answers, the modules that the import compiled, and whether the platform shows compilations at all. */
export async function reportOf({ atImport, compiled, ...imported }, given) {
  return { answers: await answersOf(imported, given), atImport, later: compiled.length > 0 };
}

/** The answers of an engine and of a loaded module to the calls of `given`, by name. */
async function answersOf({ engine, loadModule, AdjudicateError }, given) {
  const { envelope, policy, envelopes, misspelt, modules, inputs, patient, short } = given;
  const answers = {};
  for (const { name, operation, text } of given.calls) answers[name] = await answered(() => engine.callText(operation, text));
  answers.evaluate = await answered(() => JSON.stringify(engine.evaluate(envelope, { policy })));
  answers["parsed policy"] = await answered(() => engine.policy(policy).evaluateText(JSON.stringify(envelope)));
  answers.batch = await answered(() => engine.policy(policy).evaluateBatchText(envelopes));
  answers.error = await answered(() => faultOf(() => engine.evaluate(misspelt), AdjudicateError));
  for (const [way, options] of Object.entries({ "a module": undefined, "a module with a deadline": patient })) {
    answers[way] = await answered(async () => {
      const module = await loadModule(bytesIn(modules.guest), options);
      const replies = [];
      for (const input of inputs) replies.push(await answered(() => module.evaluateText(input)));
      module.dispose();
      return replies;
    });
  }
  answers["an endless module"] = await answered(async () => {
    const module = await loadModule(bytesIn(modules.endless), short);
    try {
      return await module.evaluateText(inputs[0]);
    } finally {
      module.dispose();
    }
  });
  return answers;
}

/** The properties of an error that a caller can see. */
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

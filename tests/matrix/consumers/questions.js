// The calls of every consumer, on every platform. A consumer imports this file after `watch.js` and the package, whose parts it passes.

import given from "./given.js";
import { compiled } from "./watch.js";

/** The modules that the import of the package compiled. */
const atImport = [...compiled];

/** Calls, and returns the answer or the error. The text of an error cannot be mistaken for an answer. */
async function answered(ask) {
  try {
    return await ask();
  } catch (error) {
    return error?.name === "AdjudicateError" ? JSON.stringify(error) : `not an error of the package: ${error?.stack ?? error}`;
  }
}

/** The answers, the modules that the import compiled, and whether the platform shows compilations at all. */
export async function reportOf(parts) {
  return { answers: await answersOf(parts), atImport, later: compiled.length > 0 };
}

/** The parts of the slim entry with an engine. */
export function slimParts(slim, engine) {
  return { engine, loadModule: (bytes, options) => slim.loadModule(bytes, engine, options), AdjudicateError: slim.AdjudicateError };
}

/** Makes the report of a page readable for the test. */
export function show(partsOf) {
  const keep = (report) => (globalThis.report = report);
  partsOf().then(reportOf).then(keep, (error) => keep(String(error)));
}

/** The answers of an engine and of a loaded module to the calls of `given`, by name. */
async function answersOf({ engine, loadModule, AdjudicateError }) {
  const { envelope, policy, envelopes, misspelt, guests, endless, patient, short } = given;
  const answers = {};
  for (const { name, operation, text } of given.calls) answers[name] = await answered(() => engine.callText(operation, text));
  answers.evaluate = await answered(() => JSON.stringify(engine.evaluate(envelope, { policy })));
  answers["parsed policy"] = await answered(() => engine.policy(policy).evaluateText(JSON.stringify(envelope)));
  answers.batch = await answered(() => engine.policy(policy).evaluateBatchText(envelopes));
  answers.error = await answered(() => faultOf(() => engine.evaluate(misspelt), AdjudicateError));
  for (const [way, options] of Object.entries({ "a module": undefined, "a module with a deadline": patient })) {
    answers[way] = await answered(async () => {
      const replies = [];
      for (const { module: bytes, inputs } of guests) {
        const module = await loadModule(bytesIn(bytes), options);
        for (const input of inputs) replies.push(await answered(() => module.evaluateText(input)));
        module.dispose();
      }
      return replies;
    });
  }
  answers["an endless module"] = await answered(async () => {
    const module = await loadModule(bytesIn(endless), short);
    try {
      return await module.evaluateText(guests[0].inputs[0]);
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

/**
 * Batches of envelopes. Each envelope gets its own answer or its own error, in order.
 */
import { AdjudicateError } from "./error.js";
import type { BatchItem } from "./engine.js";
import type { ErrorReply, Evaluation } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { itemOf, lengthOf } from "./list.js";
import { PolicyHandle } from "./policy-handle.js";
import { jsonOf, textOf } from "./strict.js";
import { linesOf, type JsonText } from "./text.js";

/** Evaluates one envelope of a batch. */
export type Evaluate = (envelope: Uint8Array) => string;

/** Returns a function that evaluates by an engine, or under a policy. */
export function evaluating(transport: Instance | PolicyHandle): Evaluate {
  // A call around the envelope ensures that the engine does not read the envelope as a call with another policy.
  const inputOf = (envelope: Uint8Array) => (transport instanceof PolicyHandle ? transport.join([["envelope", envelope]]) : envelope);
  return (envelope) => transport.call("evaluate", inputOf(envelope));
}

/**
 * Evaluates a list of values.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not a list.
 */
export function evaluateAll(envelopes: readonly unknown[], evaluate: Evaluate): BatchItem[] {
  const length = lengthOf(envelopes, "envelopes");
  const items: BatchItem[] = [];
  for (let index = 0; index < length; index++) {
    items.push(settled(() => ({ ok: JSON.parse(evaluate(jsonOf(itemOf(envelopes, index)))) as Evaluation })));
  }
  return items;
}

/**
 * Evaluates lines of JSON text, and returns a line of JSON text for each.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not text.
 */
export function evaluateLines(lines: JsonText, evaluate: Evaluate): string {
  let answers = "";
  for (const line of linesOf(lines)) {
    const answer = settled(() => evaluate(line()));
    answers += `${typeof answer === "string" ? answer : textOf(answer, "")}\n`;
  }
  return answers;
}

/** Returns the result of a function, or the error that it throws, as a value. */
function settled<Answer>(run: () => Answer): Answer | ErrorReply {
  try {
    return run();
  } catch (thrown) {
    // The cast narrows the code: an engine reports only codes of `ErrorCode`.
    if (thrown instanceof AdjudicateError) return thrown.toJSON() as ErrorReply;
    throw thrown;
  }
}

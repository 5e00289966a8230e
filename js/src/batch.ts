/**
 * Many envelopes at once: each gets its own answer or its own error, in order, and none is lost to another.
 */
import { AdjudicateError } from "./error.js";
import type { Asker } from "./face.js";
import type { BatchItem, ErrorReply, Evaluation } from "./generated/types.js";
import { itemOf, lengthOf } from "./list.js";
import { jsonOf, textOf } from "./strict.js";
import { linesOf, type JsonText } from "./text.js";

/** What answers one envelope of a batch. */
export type Evaluate = (envelope: Uint8Array) => string;

/** Evaluates under what the asker has; `isApart` when the envelope comes without the policy that it is judged by. */
export function evaluating(asker: Asker, isApart: boolean): Evaluate {
  // Wrapped, an envelope cannot be taken for a call that brings a policy of its own.
  const inputOf = (envelope: Uint8Array) => (isApart ? asker.join([["envelope", envelope]]) : envelope);
  return (envelope) => asker.call("evaluate", inputOf(envelope));
}

/**
 * Evaluates a list of values.
 *
 * @throws {AdjudicateError} `wrong_usage` for what is no list.
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
 * Evaluates lines of JSON text, to lines of JSON text.
 *
 * @throws {AdjudicateError} `wrong_usage` for what is no text.
 */
export function evaluateLines(lines: JsonText, evaluate: Evaluate): string {
  let answers = "";
  for (const line of linesOf(lines)) {
    const answer = settled(() => evaluate(line()));
    answers += `${typeof answer === "string" ? answer : textOf(answer, "")}\n`;
  }
  return answers;
}

/** What a function gives, or the error that it throws, as a value. */
function settled<Answer>(run: () => Answer): Answer | ErrorReply {
  try {
    return run();
  } catch (thrown) {
    // An engine has no codes but those.
    if (thrown instanceof AdjudicateError) return thrown.toJSON() as ErrorReply;
    throw thrown;
  }
}

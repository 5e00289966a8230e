/**
 * What a guarded tool throws. A step is told of it later as of any error, and what a tool has thrown by itself, or was thrown
 * inside of it, must not be taken for a call that never ran: so a refusal has the call's id with it, where no text can put it.
 */
import { AdjudicateError } from "../error.js";
import { memberOf, own } from "../own.js";

/** The same in all copies of this entry. */
const REFUSED = Symbol.for("adjudicate.refused");

/** The error of a call that does not run. */
export function refusalOf(toolCallId: string, reason: string): AdjudicateError {
  return Object.defineProperty(new AdjudicateError("call_denied", reason), REFUSED, own({ value: toolCallId }));
}

/** Whether it is the refusal of this call. */
export function isRefusal(error: unknown, toolCallId: string): boolean {
  return memberOf(error, REFUSED) === toolCallId;
}

/**
 * The error that a guarded tool throws for a denied call. A step has it next to the errors of tools, whose calls ran. To tell them apart, this
 * error has the call's id under a symbol, which a tool's output cannot forge.
 */
import { AdjudicateError } from "../error.js";
import { propertyOf, own } from "../own.js";

/** The registered symbol, which is the same in all copies of this entry. */
const REFUSED = Symbol.for("adjudicate.refused");

/** Returns the error of a denied call. */
export function refusalOf(toolCallId: string, reason: string): AdjudicateError {
  return Object.defineProperty(new AdjudicateError("call_denied", reason), REFUSED, own({ value: toolCallId }));
}

/** Returns true if an error is the denial of this call. */
export function isRefusal(error: unknown, toolCallId: string): boolean {
  return propertyOf(error, REFUSED) === toolCallId;
}

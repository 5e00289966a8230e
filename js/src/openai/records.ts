/**
 * The verdicts on the calls of a run, while its context exists.
 *
 * The SDK gives the parsed input of a call to `needsApproval` only, and reports a denied call like a finished one. After a restart there are no
 * records: the gate then judges the input as the model wrote it, and counts a denied call as one that ran.
 */
import type { CallVerdict } from "../gate/types.js";
import { keyOf, propertyOf } from "../own.js";
import type { RunContext } from "./sdk.js";

/** The latest verdict on the parsed input of each call. */
const parsed = new WeakMap<object, Map<string, CallVerdict>>();
/** The denied calls, with the message that the model got. */
const denied = new WeakMap<object, Map<string, string>>();

function entriesFor<Entry>(all: WeakMap<object, Map<string, Entry>>, context: object): Map<string, Entry> {
  const entries = all.get(context) ?? new Map<string, Entry>();
  all.set(context, entries);
  return entries;
}

/** Records the verdict on the parsed input of a call. */
export function recordParsed(context: object, toolName: string, callId: string, verdict: CallVerdict): void {
  entriesFor(parsed, context).set(keyOf(toolName, callId), verdict);
}

/** Returns the latest verdict on the parsed input of a call. */
export function parsedVerdict(context: object, toolName: string, callId: string): CallVerdict | undefined {
  return parsed.get(context)?.get(keyOf(toolName, callId));
}

/** Records a denied call. The model chooses the ids of calls, so the arguments belong to the key. */
export function recordDenied(context: object, toolName: string, callId: string, text: string, message: string): void {
  entriesFor(denied, context).set(keyOf(toolName, callId, text), message);
}

/** Returns true if the gate denied this call, and the model got this message instead of a result. */
export function isDenied(context: object, toolName: string, callId: string, text: string, message: unknown): boolean {
  return denied.get(context)?.get(keyOf(toolName, callId, text)) === message && message !== undefined;
}

/** Returns the answer of a human to a call: true for an approval, false for a rejection, or else another value. */
export function approvalOf(context: RunContext, toolName: string, callId: string): unknown {
  const isToolApproved = propertyOf(context, "isToolApproved");
  return typeof isToolApproved === "function" ? (isToolApproved.call(context, { toolName, callId }) as unknown) : undefined;
}

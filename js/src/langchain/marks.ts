/**
 * The marks of the gate on its own messages. They are in the metadata, which no provider gets and no model writes.
 */
import { own, propertyOf, type Fields } from "../own.js";

/** `denied` is a result for a denied call, `feedback` a message to the model, `stopped` the end of a run. */
export type Mark = "denied" | "feedback" | "stopped";

const NAME = "adjudicate";

/** Returns the metadata of a message of the gate. */
export function marked(mark: Mark): { response_metadata: Record<string, Mark> } {
  return { response_metadata: { [NAME]: mark } };
}

/** Returns the mark of a message. */
export function markOf(message: unknown): unknown {
  return own(propertyOf(message, "response_metadata") as Fields)[NAME];
}

/** Removes the mark from a message of a tool, because only the gate denies calls. */
export function unmark(message: unknown): void {
  const metadata = propertyOf(message, "response_metadata");
  if (typeof metadata === "object" && metadata !== null) Reflect.deleteProperty(metadata, NAME);
}

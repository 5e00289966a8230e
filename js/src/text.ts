/** JSON text on its way into the engine: strings and bytes become UTF-8. */
import { AdjudicateError } from "./error.js";
import { isWellFormed } from "./strict.js";

/** JSON as text: a string, or its UTF-8 bytes. */
export type JsonText = string | Uint8Array;

const encoder = new TextEncoder();

/**
 * The UTF-8 bytes of a text.
 *
 * @throws {AdjudicateError} `malformed_json` for a string that is not Unicode text, `wrong_usage` for anything that is
 * not text.
 * @internal
 */
export function utf8(text: JsonText, what: string): Uint8Array {
  if (typeof text === "string") {
    // An encoder would put a replacement character where the fault is, and hide it.
    if (!isWellFormed(text)) throw new AdjudicateError("malformed_json", `${what} is not well-formed Unicode`);
    return encoder.encode(text);
  }
  if (isBytes(text)) return text;
  throw new AdjudicateError("wrong_usage", `${what} must be a string or a Uint8Array`);
}

/** Whether a value is a `Uint8Array`, of this realm or of another. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]";
}

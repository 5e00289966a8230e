/**
 * Converts strings and bytes to a private copy of UTF-8. Texts over the limit are rejected before they reach the engine, because its memory
 * never shrinks.
 */
import { AdjudicateError } from "./error.js";
import { kindOf, readable, wrongUsage } from "./usage.js";

/** JSON as text: a string, or its UTF-8 bytes. */
export type JsonText = string | Uint8Array;

/** The engine's limit of one document, in bytes. @internal */
export const MAX_DOCUMENT_BYTES = 8 << 20;

const encoder = new TextEncoder();

// The caller's object may have its own properties of these names, so the getters of the prototype are used.
const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);
const nameOf = intrinsic(Symbol.toStringTag);
const lengthOf = intrinsic("byteLength");

/**
 * Returns a copy of a text as UTF-8 bytes.
 *
 * @param within A prefix of error messages that names the document, for example `"policy: "`.
 * @throws {AdjudicateError} `limit_exceeded` for a text that is too long, `malformed_json` for an ill-formed string, `wrong_usage` if the
 * argument is not text.
 * @internal
 */
export function utf8(text: JsonText, within = ""): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") return bytesOf(text, within);
  // The size of a blob is that of its UTF-8.
  if (text.length > MAX_DOCUMENT_BYTES) throw tooLong(new Blob([text]).size, within);
  // The encoder would replace a lone surrogate, and hide the error.
  if (!isWellFormed(text)) throw illFormed(within);
  return encoded(text, within);
}

/**
 * Returns a well-formed string as UTF-8 bytes.
 *
 * @throws {AdjudicateError} `limit_exceeded`.
 * @internal
 */
export function encoded(text: string, within: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLong(bytes.length, within);
  return bytes;
}

/** Returns true for a well-formed Unicode string, also on platforms without `isWellFormed`. @internal */
export function isWellFormed(text: string): boolean {
  const native = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return native === undefined ? !/\p{Surrogate}/u.test(text) : native.call(text);
}

/**
 * Returns a function for each line of a text, which returns the line as UTF-8. So a line that is too long or ill-formed has its own error.
 * It skips lines of white space.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not text. The functions throw `limit_exceeded` and `malformed_json`.
 * @internal
 */
export function* linesOf(text: JsonText): Generator<() => Uint8Array> {
  if (typeof text !== "string") {
    const bytes = bytesOf(text, "", Infinity);
    for (const [start, end] of ranges(bytes.length, (from) => bytes.indexOf(NEWLINE, from))) {
      const line = bytes.subarray(start, end);
      if (!line.every(isSpace)) yield () => unlessTooLong(line);
    }
    return;
  }
  for (const [start, end] of ranges(text.length, (from) => text.indexOf("\n", from))) {
    const line = text.slice(start, end);
    if (/[^\t\f\r ]/.test(line)) yield () => unlessTooLong(line.length > MAX_DOCUMENT_BYTES ? undefined : encodedLine(line));
  }
}

const NEWLINE = 0x0a;

/** Returns the start and the end of each line. */
function* ranges(length: number, newlineFrom: (from: number) => number): Generator<[start: number, end: number]> {
  for (let start = 0; start < length; ) {
    const newline = newlineFrom(start);
    const end = newline < 0 ? length : newline;
    yield [start, end];
    start = end + 1;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0c || byte === 0x0d;
}

function encodedLine(line: string): Uint8Array {
  if (!isWellFormed(line)) throw illFormed("");
  return encoder.encode(line);
}

/** Returns the line if it is within the limit. `undefined` stands for a line that is too long. The command reports the same error. */
function unlessTooLong(line: Uint8Array | undefined): Uint8Array {
  if (line !== undefined && line.length <= MAX_DOCUMENT_BYTES) return line;
  const message = `the line is over the limit of ${MAX_DOCUMENT_BYTES} bytes`;
  throw new AdjudicateError("limit_exceeded", message);
}

function illFormed(within: string): AdjudicateError {
  return new AdjudicateError("malformed_json", `${within}not well-formed Unicode`);
}

/** Returns a plain copy of the bytes of a document. */
function bytesOf(value: unknown, within: string, limit = MAX_DOCUMENT_BYTES): Uint8Array<ArrayBuffer> {
  if (nameOf(value) !== "Uint8Array") {
    throw wrongUsage(`${within}expected JSON text, a string or a \`Uint8Array\`, found ${kindOf(value)}`);
  }
  const copy = readable(`${within}the bytes`, () => copied(value as Uint8Array, limit));
  if (typeof copy !== "number") return copy;
  throw tooLong(copy, within);
}

/**
 * Returns a plain copy of the bytes of a `Uint8Array` or a buffer, or their number if it is over the limit. Returns `undefined` for any
 * other value, and for a detached buffer.
 *
 * @internal
 */
export function copyOf(value: unknown, limit: number): Uint8Array<ArrayBuffer> | number | undefined {
  const kind = Object.prototype.toString.call(value);
  const isBuffer = kind === "[object ArrayBuffer]" || kind === "[object SharedArrayBuffer]";
  if (nameOf(value) !== "Uint8Array" && !isBuffer) return undefined;
  try {
    // The tag can be forged. Then `new Uint8Array` copies the items of an array-like object, or throws.
    return copied(isBuffer ? new Uint8Array(value as ArrayBuffer) : (value as Uint8Array), limit);
  } catch {
    return undefined;
  }
}

/** Returns a plain copy of bytes, whose buffer may be shared or resizable, or of a class with its own methods; or their number if it is over the limit. */
function copied(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> | number {
  const length = lengthOf(bytes) as number;
  if (length > limit) return length;
  const copy = new Uint8Array(bytes);
  // Shared memory may have grown during the copy.
  return copy.length > limit ? copy.length : copy;
}

/** Returns bytes as hexadecimal digits. @internal */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a getter that works for typed arrays of every realm, and returns `undefined` for all other values. */
function intrinsic(key: "byteLength" | typeof Symbol.toStringTag): (value: unknown) => unknown {
  const getter = Object.getOwnPropertyDescriptor(typedArray, key)?.get;
  return (value) => getter?.call(value);
}

/** Returns the error with the engine's message. */
function tooLong(length: number, within: string): AdjudicateError {
  const message = `${within}input of ${length} bytes is over the limit of ${MAX_DOCUMENT_BYTES}`;
  return new AdjudicateError("limit_exceeded", message);
}

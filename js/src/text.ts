/**
 * JSON text on its way into the engine: strings and bytes become UTF-8 that is nobody else's, and no more of it than
 * the engine reads. What enters the engine's memory makes it grow, and it never shrinks.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { kindOf, wrongUsage } from "./usage.js";

/** JSON as text: a string, or its UTF-8 bytes. */
export type JsonText = string | Uint8Array;

/**
 * How many bytes one document may have: the engine's own limit.
 *
 * @internal
 */
export const MAX_DOCUMENT_BYTES = 8 << 20;

const encoder = new TextEncoder();

// The object at hand may have members of these names that say something else.
const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);
const nameOf = intrinsic(Symbol.toStringTag);
const lengthOf = intrinsic("byteLength");

/**
 * The UTF-8 bytes of a text, as a copy.
 *
 * @param within What begins the message of an error: `"policy: "` where another document could be meant.
 * @throws {AdjudicateError} `limit_exceeded` for a text that is too long, `malformed_json` for a string that is not
 * Unicode text, `wrong_usage` for anything that is not text.
 * @internal
 */
export function utf8(text: JsonText, within = ""): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") return bytesOf(text, within);
  if (text.length > MAX_DOCUMENT_BYTES) throw tooLong(encodedLength(text), within);
  // An encoder would put a replacement character where the fault is, and hide it.
  if (!isWellFormed(text)) throw illFormed(within);
  return encoded(text, within);
}

/**
 * The UTF-8 bytes of a string that is known to be well-formed.
 *
 * @throws {AdjudicateError} `limit_exceeded`.
 * @internal
 */
export function encoded(text: string, within: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLong(bytes.length, within);
  return bytes;
}

/**
 * Whether a string is Unicode text; engines from before 2023 are asked in another way.
 *
 * @internal
 */
export function isWellFormed(text: string): boolean {
  const native = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return native === undefined ? !/\p{Surrogate}/u.test(text) : native.call(text);
}

/**
 * The lines of a text as UTF-8, each as a function that gives it: one that is too long, or is no text, is an error of
 * its own. Lines of white space alone are left out.
 *
 * @throws {AdjudicateError} `wrong_usage` for anything that is not text; the functions throw `limit_exceeded` and
 * `malformed_json`.
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

/** Where lines begin and end in a text of that length. */
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

/** The line, or an error in the words of the command line, which reads such lines too; `undefined` is too long unread. */
function unlessTooLong(line: Uint8Array | undefined): Uint8Array {
  if (line !== undefined && line.length <= MAX_DOCUMENT_BYTES) return line;
  const message = `the line is over the limit of ${MAX_DOCUMENT_BYTES} bytes`;
  throw new AdjudicateError("limit_exceeded", message);
}

function illFormed(within: string): AdjudicateError {
  return new AdjudicateError("malformed_json", `${within}not well-formed Unicode`);
}

/** A plain copy of bytes that may be shared with another thread, resizable, or of a class with ideas of its own. */
function bytesOf(value: unknown, within: string, limit = MAX_DOCUMENT_BYTES): Uint8Array<ArrayBuffer> {
  if (nameOf(value) !== "Uint8Array") {
    throw wrongUsage(`${within}expected JSON text, a string or a \`Uint8Array\`, found ${kindOf(value)}`);
  }
  const length = lengthOf(value) as number;
  if (length > limit) throw tooLong(length, within);
  let copy: Uint8Array<ArrayBuffer>;
  try {
    copy = new Uint8Array(value as Uint8Array);
  } catch (cause) {
    throw wrongUsage(`${within}the bytes cannot be read: ${reasonOf(cause)}`, cause);
  }
  // Memory that is shared may have grown in the meantime.
  if (copy.length > limit) throw tooLong(copy.length, within);
  return copy;
}

/**
 * A plain copy of the bytes of a typed array of bytes or of a buffer; their number, if there are more than the limit;
 * nothing for what is neither, or is gone.
 *
 * @internal
 */
export function copyOf(value: unknown, limit: number): Uint8Array<ArrayBuffer> | number | undefined {
  const kind = Object.prototype.toString.call(value);
  const isBuffer = kind === "[object ArrayBuffer]" || kind === "[object SharedArrayBuffer]";
  if (nameOf(value) !== "Uint8Array" && !isBuffer) return undefined;
  try {
    // What a buffer of another realm says of itself is believed by nobody: a view of it is made, or that fails.
    const view = isBuffer ? new Uint8Array(value as ArrayBuffer) : (value as Uint8Array);
    const length = lengthOf(view) as number;
    if (length > limit) return length;
    const copy = new Uint8Array(view);
    // Memory that is shared may have grown in the meantime.
    return copy.length > limit ? copy.length : copy;
  } catch {
    return undefined;
  }
}

/** A getter that all typed arrays of all realms answer to, and that nothing else does. */
function intrinsic(key: "byteLength" | typeof Symbol.toStringTag): (value: unknown) => unknown {
  const getter = Object.getOwnPropertyDescriptor(typedArray, key)?.get;
  return (value) => getter?.call(value);
}

/** How many bytes of UTF-8 a string is, half a surrogate pair counted as the three that replace it. */
function encodedLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) length += unit >= 0x800 ? 2 : 1;
    // The second half of a pair: both together are four bytes, and were counted as three each.
    if (unit >= 0xdc00 && unit < 0xe000 && isFirstHalf(text.charCodeAt(index - 1))) length -= 2;
  }
  return length;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** In the engine's own words. */
function tooLong(length: number, within: string): AdjudicateError {
  const message = `${within}input of ${length} bytes is over the limit of ${MAX_DOCUMENT_BYTES}`;
  return new AdjudicateError("limit_exceeded", message);
}

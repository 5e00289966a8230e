/**
 * Reads numbers, names and ranges from the bytes of a module.
 *
 * Lengths in a module are untrusted: each is checked against the remaining bytes before anything is allocated.
 */
import { AdjudicateError } from "./error.js";

/** Returns the error for a module that is not WebAssembly. */
export function malformed(why: string): AdjudicateError {
  return new AdjudicateError("module_malformed", `the module is not valid WebAssembly: ${why}`);
}

/** Returns the error for a module with a feature that policy modules may not use. */
export function feature(what: string): AdjudicateError {
  return new AdjudicateError("module_feature", `the module uses a WebAssembly feature that policy modules may not use: ${what}`);
}

/** Throws if a count exceeds the limit. */
export function bounded(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new AdjudicateError("module_too_large", `the module has ${count} ${what}, the limit is ${limit}`);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A cursor over a range of bytes. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The number of the remaining bytes. */
  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    if (this.isAtEnd) throw malformed("unexpected end");
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Skips this number of bytes. */
  skip(count: number): void {
    if (count > this.left) throw malformed("a length goes beyond the end");
    this.#at += count;
  }

  /** Returns a reader of the next bytes, and skips them. */
  range(count: number): Reader {
    const start = this.#at;
    this.skip(count);
    return new Reader(this.#bytes, start, this.#at);
  }

  /** Returns a view of the remaining bytes. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#end);
  }

  /** Reads an unsigned integer of 32 bits. */
  u32(): number {
    return this.#unsigned(32);
  }

  /** Reads an unsigned integer of 64 bits. Values over 2^53 are rounded, which is far above every limit. */
  u64(): number {
    return this.#unsigned(64);
  }

  /** Skips a signed integer of this number of bits. */
  skipSigned(bits: number): void {
    for (let left = Math.ceil(bits / 7); left > 0; left--) {
      if (this.byte() < 0x80) return;
    }
    throw malformed("a number has too many bytes");
  }

  /** Reads a name: its length, then its UTF-8 bytes. */
  name(): string {
    const text = this.range(this.u32()).rest();
    try {
      return decoder.decode(text);
    } catch {
      throw malformed("a name is not UTF-8");
    }
  }

  /** Reads a list: its length, then each item by a function. */
  each(read: (index: number) => void, count = this.u32()): void {
    // An item has at least one byte, so a longer list is invalid.
    if (count > this.left) throw malformed("a list is longer than the remaining bytes");
    for (let index = 0; index < count; index++) read(index);
  }

  #unsigned(bits: number): number {
    let value = 0;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value >= 2 ** bits) break;
        return value;
      }
    }
    throw malformed("a number is too large");
  }
}

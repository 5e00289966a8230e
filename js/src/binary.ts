/**
 * Reading the bytes of a module: numbers, names and stretches, never beyond the end of what is read.
 *
 * Lengths come from whoever wrote the module. Each is held against what is there before anything is made of it.
 */
import { AdjudicateError } from "./error.js";
import { shortened } from "./usage.js";

/** A module that is not WebAssembly. */
export function malformed(why: string): AdjudicateError {
  return new AdjudicateError("module_malformed", `the module is not valid WebAssembly: ${why}`);
}

/** A module with something that policy modules may not have. */
export function feature(what: string): AdjudicateError {
  return new AdjudicateError("module_feature", `the module uses a WebAssembly feature that policy modules may not use: ${what}`);
}

/** Refuses more of something than the limit. */
export function bounded(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new AdjudicateError("module_too_large", `the module has ${count} ${what}, the limit is ${limit}`);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A place in a stretch of bytes, which moves on as they are read. */
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

  /** How many bytes are left. */
  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    if (this.isAtEnd) throw malformed("it ends in the middle of something");
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Passes over so many bytes. */
  skip(count: number): void {
    if (count > this.left) throw malformed("a length goes beyond the end");
    this.#at += count;
  }

  /** The next so many bytes, as a reader of their own. */
  stretch(count: number): Reader {
    const start = this.#at;
    this.skip(count);
    return new Reader(this.#bytes, start, this.#at);
  }

  /** All that is left, as a view. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#end);
  }

  /** An unsigned number of 32 bits. */
  u32(): number {
    return this.#unsigned(32);
  }

  /** An unsigned number of 64 bits; beyond 2^53 it is rounded, which is far above every limit. */
  u64(): number {
    return this.#unsigned(64);
  }

  /** Passes over a signed number of so many bits. */
  skipSigned(bits: number): void {
    for (let left = Math.ceil(bits / 7); left > 0; left--) {
      if (this.byte() < 0x80) return;
    }
    throw malformed("a number has too many bytes");
  }

  /** Text, with its length before it. */
  name(): string {
    const text = this.stretch(this.u32()).rest();
    try {
      return decoder.decode(text);
    } catch {
      throw malformed("a name is not UTF-8");
    }
  }

  /** Reads a list: its length, and each item by a function. */
  each(read: (index: number) => void, count = this.u32()): void {
    // An item has one byte or more, so a list that claims to be longer ends with an error, soon.
    if (count > this.left) throw malformed("a list is longer than what is left");
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

/** A name of a module's, fit for a message. */
export function quoted(name: string): string {
  return `\`${shortened(name)}\``;
}

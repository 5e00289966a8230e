/**
 * Checks the instructions of functions before the platform compiles them.
 *
 * Platforms accept features that a policy module may not use (SIMD, threads, exceptions), and differ from each other. So each instruction
 * must be in the tables of this file. The platform validates the code.
 */
import { bounded, feature, malformed, type Reader } from "./binary.js";

/** The limits of the native host: `host/sandbox/src/inspect`. */
const NESTED_BLOCKS = 1_000;
const NESTED_LOOPS = 64;

/** Skips the operands of an instruction. */
type Skip = (reader: Reader) => void;

const none: Skip = () => undefined;
const index: Skip = (reader) => void reader.u32();
const twoIndices: Skip = (reader) => void (reader.u32() + reader.u32());

/** An index of a memory. It must be 0, because a module has one memory. */
const memory: Skip = (reader) => {
  if (reader.u32() !== 0) throw feature("more than one memory");
};

/** The alignment and the offset of a load or a store. */
const access: Skip = (reader) => {
  if (reader.u32() & 0x40) throw feature("more than one memory");
  // The platform checks the range of the offset.
  reader.u64();
};

/** The codes of `i32`, `i64`, `f32`, `f64` and `funcref`. */
const VALUE_TYPES: readonly number[] = [0x7f, 0x7e, 0x7d, 0x7c, 0x70];

/** Reads the type of a value. */
export function valueType(reader: Reader): number {
  const type = reader.byte();
  if (VALUE_TYPES.includes(type)) return type;
  if (type === 0x7b) throw feature("SIMD");
  if (type >= 0x60 && type < 0x80) throw feature("references other than to functions");
  throw malformed("a value has an unknown type");
}

/** The type of a block: empty, a value type, or the index of a type. */
const blockType: Skip = (reader) => {
  const [first] = reader.rest();
  if (first === 0x40) reader.skip(1);
  else if (first !== undefined && (first & 0xc0) === 0x40) valueType(reader);
  else reader.skipSigned(33);
};

const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const END = 0x0b;

const PLAIN = new Map<number, Skip>([
  ...range(0x00, 0x01, none), // unreachable, nop
  ...range(BLOCK, IF, blockType),
  ...range(0x05, 0x05, none), // else
  ...range(END, END, none),
  ...range(0x0c, 0x0d, index), // br, br_if
  ...range<Skip>(0x0e, 0x0e, (reader) => (reader.each(() => reader.u32()), reader.u32())), // br_table
  ...range(0x0f, 0x0f, none), // return
  ...range(0x10, 0x10, index), // call
  ...range(0x11, 0x11, twoIndices), // call_indirect
  ...range(0x1a, 0x1b, none), // drop, select
  ...range<Skip>(0x1c, 0x1c, (reader) => reader.each(() => valueType(reader))), // select of a type
  ...range(0x20, 0x26, index), // locals, globals, tables
  ...range(0x28, 0x3e, access), // loads and stores
  ...range(0x3f, 0x40, memory), // memory.size, memory.grow
  ...range<Skip>(0x41, 0x41, (reader) => reader.skipSigned(32)),
  ...range<Skip>(0x42, 0x42, (reader) => reader.skipSigned(64)),
  ...range<Skip>(0x43, 0x43, (reader) => reader.skip(4)),
  ...range<Skip>(0x44, 0x44, (reader) => reader.skip(8)),
  ...range(0x45, 0xc4, none), // arithmetic
  ...range(0xd0, 0xd0, valueType), // ref.null
  ...range(0xd1, 0xd1, none), // ref.is_null
  ...range(0xd2, 0xd2, index), // ref.func
]);

/** The instructions with the prefix 0xfc. */
const PREFIXED = new Map<number, Skip>([
  ...range(0, 7, none), // saturating conversions
  ...range<Skip>(8, 8, (reader) => (index(reader), memory(reader))), // memory.init
  ...range(9, 9, index), // data.drop
  ...range<Skip>(10, 10, (reader) => (memory(reader), memory(reader))), // memory.copy
  ...range(11, 11, memory), // memory.fill
  ...range(12, 12, twoIndices), // table.init
  ...range(13, 13, index), // elem.drop
  ...range(14, 14, twoIndices), // table.copy
  ...range(15, 17, index), // table.grow, table.size, table.fill
]);

/** The features of other instructions, for error messages. */
const FEATURES = new Map<number, string>([
  ...range(0x06, 0x0a, "exceptions"),
  ...range(0x12, 0x13, "tail calls"),
  ...range(0x14, 0x15, "typed references to functions"),
  ...range(0x18, 0x19, "exceptions"),
  ...range(0x1f, 0x1f, "exceptions"),
  ...range(0xd3, 0xd6, "references other than to functions"),
  ...range(0xe0, 0xe6, "stack switching"),
  ...range(0xfb, 0xfb, "garbage collection"),
  ...range(0xfd, 0xfd, "SIMD"),
  ...range(0xfe, 0xfe, "threads"),
]);

function range<Value>(first: number, last: number, value: Value): [number, Value][] {
  return Array.from({ length: last - first + 1 }, (_, offset) => [first + offset, value]);
}

/**
 * Reads the instructions of one expression, up to its `end`.
 *
 * @throws {AdjudicateError} `module_feature` for an instruction that policy modules may not use, `module_too_large` for blocks nested too
 * deep, `module_malformed`.
 */
export function readInstructions(reader: Reader): void {
  const open: boolean[] = [];
  let loops = 0;
  for (;;) {
    const code = reader.byte();
    skipOperands(code, reader);
    if (code === END) {
      const closed = open.pop();
      if (closed === undefined) return;
      if (closed) loops--;
    } else if (code >= BLOCK && code <= IF) {
      open.push(code === LOOP);
      if (code === LOOP) loops++;
      bounded("blocks nested in one function", open.length, NESTED_BLOCKS);
      bounded("loops nested in one function", loops, NESTED_LOOPS);
    }
  }
}

function skipOperands(code: number, reader: Reader): void {
  const skip = code === 0xfc ? PREFIXED.get(reader.u32()) : PLAIN.get(code);
  if (skip !== undefined) return skip(reader);
  if (code === 0xfc) throw feature("an unknown instruction with the prefix 0xfc");
  const known = FEATURES.get(code);
  throw known === undefined ? malformed(`unknown instruction 0x${code.toString(16).padStart(2, "0")}`) : feature(known);
}

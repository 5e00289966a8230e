/**
 * Checks the structure of a module without compiling or running it.
 *
 * This is the static half of the binary interface, like `host/sandbox/src/inspect` in the native host. The platform's reflection does not
 * show the start function, the limits of memories and the types of functions. The platform must also validate the module, because this file
 * does not check the order of sections, for example.
 */
import { Reader, bounded, feature, malformed } from "./binary.js";
import { AdjudicateError } from "./error.js";
import { readInstructions, valueType } from "./instructions.js";
import { shown } from "./usage.js";

/** The static limits of the native host. */
const TYPES = 10_000;
const EXPORTS = 10_000;
const DATA_SEGMENTS = 20_000;
const SEGMENT_ELEMENTS = 50_000;
const FUNCTIONS = 20_000;
const LOCALS = 5_000;
const BODY_BYTES = 512 << 10;
const TABLES = 1;
const TABLE_ELEMENTS = 10_000;
const GLOBALS = 1_000;

/** The size of a memory page in bytes. */
export const PAGE = 64 << 10;

/** The structure of a module. */
export interface Structure {
  /** The types of functions: `[parameters, results]` each. */
  readonly types: (readonly [readonly number[], readonly number[]])[];
  /** The type of each function, as an index into `types`. */
  readonly functions: number[];
  /** The limits of its memory, in pages. A module has at most one. */
  readonly memories: { readonly initial: number; readonly maximum: number }[];
  readonly exports: { readonly name: string; readonly kind: number; readonly index: number }[];
}

/**
 * Reads the structure of a module.
 *
 * @throws {AdjudicateError} one of the `module_*` codes, for the first fault in the order of the sections.
 */
export function structureOf(module: Uint8Array): Structure {
  checkPreamble(module);
  const structure: Structure = { types: [], functions: [], memories: [], exports: [] };
  const reader = new Reader(module, 8);
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const section = reader.range(reader.u32());
    if (id === 13) throw feature("exceptions");
    if (id > 13) throw malformed(`unknown section ${id}`);
    const read = SECTIONS.get(id);
    if (read === undefined) continue;
    read(section, structure);
    if (!section.isAtEnd) throw malformed("a section has bytes after its content");
  }
  return structure;
}

/** Checks the first bytes. The error of a common other format names it. */
function checkPreamble(module: Uint8Array): void {
  const begins = (...bytes: number[]) => bytes.every((byte, at) => module[at] === byte);
  let why: string;
  if (module.length === 0) why = "the module is empty";
  else if (begins(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)) return;
  else if (begins(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0)) {
    why = "expected a core module, found a component; build without a component step";
  } else if (begins(0x28)) why = "expected a binary module, found WebAssembly text; assemble it first, for example with `wat2wasm`";
  else if (module.length >= 8 && begins(0, 0x61, 0x73, 0x6d)) why = "the module has an unknown binary version";
  else why = "expected a WebAssembly module, which begins with the bytes `\\0asm` and version 1";
  throw new AdjudicateError("module_malformed", why);
}

type ReadSection = (section: Reader, structure: Structure) => void;

/** The readers of sections by their ids. Data segments are only counted, because their content needs no feature. */
const SECTIONS: ReadonlyMap<number, ReadSection> = new Map<number, ReadSection>([
  [1, (section, { types }) => section.each(() => types.push(functionType(section)), count(section, "types", TYPES))],
  [2, (section) => section.each(() => refuseImport(section))],
  [3, (section, { functions }) => section.each(() => functions.push(section.u32()), count(section, "functions", FUNCTIONS))],
  [4, readTables],
  [5, (section, { memories }) => section.each(() => memories.push(memoryLimits(section, memories.length)))],
  [6, readGlobals],
  [7, (section, { exports }) =>
    section.each(
      () => exports.push({ name: section.name(), kind: section.byte(), index: section.u32() }),
      count(section, "exports", EXPORTS),
    )],
  [8, () => {
    throw new AdjudicateError("module_start", "the module has a start function; move its work to `_initialize`");
  }],
  [9, readElements],
  [10, (section) => section.each(() => readBody(section), count(section, "functions", FUNCTIONS))],
  [11, (section) => {
    count(section, "data segments", DATA_SEGMENTS);
    section.skip(section.left);
  }],
]);

/** Reads the length of a list, and checks its limit. */
function count(section: Reader, what: string, limit: number): number {
  const length = section.u32();
  bounded(what, length, limit);
  return length;
}

function functionType(section: Reader): [number[], number[]] {
  const form = section.byte();
  if (form !== 0x60) throw form >= 0x4e && form < 0x66 ? feature("types other than function types") : malformed("a type has an unknown form");
  const list = () => {
    const types: number[] = [];
    section.each(() => types.push(valueType(section)));
    return types;
  };
  return [list(), list()];
}

function refuseImport(section: Reader): never {
  const [module, name] = [section.name(), section.name()];
  throw new AdjudicateError(
    "module_imports",
    `the module imports ${shown(module)}.${shown(name)}; a policy module has no imports, so build it without WASI and without JavaScript glue`,
  );
}

function readTables(section: Reader): void {
  const length = count(section, "tables", TABLES);
  section.each(() => {
    if (section.rest()[0] === 0x40) throw feature("tables with an initial value");
    valueType(section);
    const flags = section.byte();
    if (flags > 1) throw feature("shared tables, or tables with 64-bit indices");
    const initial = section.u32();
    bounded("elements of one table", Math.max(initial, flags === 1 ? section.u32() : 0), TABLE_ELEMENTS);
  }, length);
}

function memoryLimits(section: Reader, before: number): { initial: number; maximum: number } {
  const flags = section.byte();
  if (flags > 15) throw malformed("a memory has unknown flags");
  const initial = section.u64();
  const maximum = flags & 1 ? section.u64() : undefined;
  if (before > 0) throw memoryRefusal("the module has more than one memory; keep one");
  if (flags & 4) throw memoryRefusal("the memory has 64-bit addresses; build for wasm32");
  if (flags & 2) throw memoryRefusal("the memory is shared between threads; build without threads");
  if (flags & 8) throw memoryRefusal("the memory has a custom page size; keep 64 KiB");
  if (maximum === undefined) {
    throw memoryRefusal("the memory declares no maximum; give the linker one, for example `-C link-arg=--max-memory=16777216`");
  }
  return { initial, maximum };
}

function memoryRefusal(message: string): AdjudicateError {
  return new AdjudicateError("module_memory_type", message);
}

function readGlobals(section: Reader): void {
  const length = count(section, "globals", GLOBALS);
  section.each(() => {
    valueType(section);
    // The flag of mutability.
    if (section.byte() > 1) throw feature("shared globals");
    readInstructions(section);
  }, length);
}

/** Limits the elements of all segments together, because every new instance writes them. */
function readElements(section: Reader): void {
  let elements = 0;
  const length = count(section, "element segments", SEGMENT_ELEMENTS);
  section.each(() => {
    // The bits: 1 for passive or declared, 2 for a table index or a type, 4 for expressions instead of indices.
    const form = section.u32();
    if (form > 7) throw malformed("a segment of elements has an unknown form");
    const [isPassive, hasMore, hasExpressions] = [form & 1, form & 2, form & 4];
    if (!isPassive) {
      if (hasMore) section.u32();
      readInstructions(section);
    }
    if (isPassive || hasMore) {
      if (hasExpressions) valueType(section);
      else section.skip(1);
    }
    const items = section.u32();
    elements += items;
    bounded("elements of element segments", elements, SEGMENT_ELEMENTS);
    section.each(() => (hasExpressions ? readInstructions(section) : section.u32()), items);
  }, length);
}

function readBody(section: Reader): void {
  const size = section.u32();
  bounded("bytes in one function", size, BODY_BYTES);
  const body = section.range(size);
  let locals = 0;
  body.each(() => {
    locals += body.u32();
    bounded("locals in one function", locals, LOCALS);
    valueType(body);
  });
  readInstructions(body);
  if (!body.isAtEnd) throw malformed("a function has bytes after its end");
}

/** The functions of the interface, with the numbers of their `i32` parameters and results. */
const INTERFACE: readonly { name: string; takes: number; gives: number; required: boolean }[] = [
  { name: "adjudicate_abi_1", takes: 0, gives: 1, required: true },
  { name: "adjudicate_alloc", takes: 1, gives: 1, required: true },
  { name: "adjudicate_call", takes: 3, gives: 1, required: true },
  { name: "adjudicate_configure", takes: 2, gives: 1, required: false },
  { name: "_initialize", takes: 0, gives: 0, required: false },
];

const FUNCTION_KIND = 0;
const MEMORY_KIND = 2;

function exportRefusal(message: string): AdjudicateError {
  return new AdjudicateError("module_exports", message);
}

/**
 * Checks the exports of a valid module: their presence and their types.
 *
 * @throws {AdjudicateError} `module_abi`, `module_exports`.
 */
export function checkExports({ exports, functions, types }: Structure): void {
  const other = exports.find(({ name }) => name.startsWith("adjudicate_abi_") && name !== "adjudicate_abi_1");
  if (other !== undefined) {
    const message = `the module exports ${shown(other.name)}; this host supports version 1, \`adjudicate_abi_1\``;
    throw new AdjudicateError("module_abi", message);
  }
  const isKnown = (wanted: string) => INTERFACE.some(({ name }) => name === wanted);
  const unknown = exports.find(({ name }) => name.startsWith("adjudicate_") && !isKnown(name));
  if (unknown !== undefined) {
    const why = "the interface has no such function, and names that begin with `adjudicate_` are reserved";
    throw exportRefusal(`unknown export ${shown(unknown.name)}: ${why}`);
  }
  const memory = exports.find(({ name }) => name === "memory");
  if (memory === undefined) throw exportRefusal("the module exports no memory named `memory`");
  if (memory.kind !== MEMORY_KIND) throw exportRefusal("the export `memory` is not a memory");
  for (const { name, takes, gives, required } of INTERFACE) {
    const signature = `(${Array(takes).fill("i32").join(", ")}) -> ${gives === 0 ? "()" : "i32"}`;
    const found = exports.find((candidate) => candidate.name === name);
    if (found === undefined) {
      if (required) throw exportRefusal(`the module exports no \`${name}\`: ${signature}`);
      continue;
    }
    if (found.kind !== FUNCTION_KIND) throw exportRefusal(`the export \`${name}\` is not a function`);
    // There are no imports, so functions count from 0.
    const [parameters, results] = types[functions[found.index] ?? -1] ?? [];
    const areI32 = (list: readonly number[] | undefined, count: number) =>
      list?.length === count && list.every((type) => type === 0x7f);
    if (!areI32(parameters, takes) || !areI32(results, gives)) {
      throw exportRefusal(`the export \`${name}\` must be of type ${signature}`);
    }
  }
}

/**
 * What can be known of a module without compiling or running any of it, and what is refused on sight.
 *
 * Owns the static half of the binary interface, as `host/sandbox/src/inspect` does for the native host. The platform's own reflection is
 * not enough: it shows neither the start function nor the memory's limits nor the types of functions. Conclusions
 * are good only for modules that the platform has found valid, too: here nothing is asked of the order of sections, for instance.
 */
import { Reader, bounded, feature, malformed, quoted } from "./binary.js";
import { CARRIED } from "./carried.js";
import { AdjudicateError } from "./error.js";
import type { ErrorCode } from "./generated/types.js";
import { readInstructions, valueType } from "./instructions.js";

/** The name of the custom section with the manifest. */
const MANIFEST = "adjudicate.manifest";

/** The static limits, as in the native host. */
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

/** Bytes of a page of memory. */
export const PAGE = 64 << 10;

/** What a module is. */
export interface Structure {
  /** Each `[parameters, results]`. */
  readonly types: (readonly [readonly number[], readonly number[]])[];
  /** The index of each function's type. */
  readonly functions: number[];
  /** The limits of its memories, in pages; there is one at most. */
  readonly memories: { readonly initial: number; readonly maximum: number }[];
  readonly exports: { readonly name: string; readonly kind: number; readonly index: number }[];
  /** The manifests that it has. */
  readonly manifests: Uint8Array[];
  /** The policies that it carries, packed. */
  readonly policies: Uint8Array[];
}

/**
 * Reads a module.
 *
 * @throws {AdjudicateError} with one of the `module_*` codes, the first that applies in the order of the module's sections.
 */
export function structureOf(module: Uint8Array): Structure {
  checkPreamble(module);
  const structure: Structure = { types: [], functions: [], memories: [], exports: [], manifests: [], policies: [] };
  const reader = new Reader(module, 8);
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const section = reader.stretch(reader.u32());
    if (id === 13) throw feature("exceptions");
    if (id > 13) throw malformed(`there is no section ${id}`);
    const read = SECTIONS.get(id);
    if (read === undefined) continue;
    read(section, structure);
    if (!section.isAtEnd) throw malformed("a section is longer than what is in it");
  }
  return structure;
}

/** Refuses by the first bytes, so that what was never a module is named as what it is. */
function checkPreamble(module: Uint8Array): void {
  const begins = (...bytes: number[]) => bytes.every((byte, at) => module[at] === byte);
  let why: string;
  if (module.length === 0) why = "the module is empty";
  else if (begins(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)) return;
  else if (begins(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0)) {
    why = "this is a component; the policy interface is for core modules, so build without a component step";
  } else if (begins(0x28)) why = "this is WebAssembly text; assemble it first, for instance with `wat2wasm`";
  else if (module.length >= 8 && begins(0, 0x61, 0x73, 0x6d)) why = "the module is of an unknown binary version";
  else why = "this is not a WebAssembly module: it does not begin with the bytes `\\0asm` and version 1";
  throw new AdjudicateError("module_malformed", why);
}

type ReadSection = (section: Reader, structure: Structure) => void;

/** By their ids. Of elements and data only the number is looked at: nothing in them is of a feature by itself. */
const SECTIONS: ReadonlyMap<number, ReadSection> = new Map<number, ReadSection>([
  [0, readCustom],
  [1, (section, { types }) => section.each(() => types.push(functionType(section)), count(section, "types", TYPES))],
  [2, (section) => section.each(() => refuseImport(section))],
  [3, readFunctions],
  [4, readTables],
  [5, (section, { memories }) => section.each(() => memories.push(memoryLimits(section, memories.length)))],
  [6, readGlobals],
  [7, (section, { exports }) =>
    section.each(
      () => exports.push({ name: section.name(), kind: section.byte(), index: section.u32() }),
      count(section, "exports", EXPORTS),
    )],
  [8, refuseStart],
  [9, readElements],
  [10, (section) => section.each(() => readBody(section), count(section, "functions", FUNCTIONS))],
  [11, (section) => {
    count(section, "data segments", DATA_SEGMENTS);
    section.skip(section.left);
  }],
]);

/** The length of a list, which has a limit. */
function count(section: Reader, what: string, limit: number): number {
  const length = section.u32();
  bounded(what, length, limit);
  return length;
}

function readCustom(section: Reader, { manifests, policies }: Structure): void {
  const name = section.name();
  if (name === MANIFEST) manifests.push(section.rest());
  if (name === CARRIED) policies.push(section.rest());
  section.skip(section.left);
}

function functionType(section: Reader): [number[], number[]] {
  const form = section.byte();
  if (form !== 0x60) throw form >= 0x4e && form < 0x66 ? feature("types other than of functions") : malformed("a type has an unknown form");
  const list = () => {
    const types: number[] = [];
    section.each(() => types.push(valueType(section)));
    return types;
  };
  return [list(), list()];
}

function refuseImport(section: Reader): never {
  const [module, name] = [section.name(), section.name()];
  throw refusal(
    "module_imports",
    `the module imports ${quoted(module)}.${quoted(name)}; a policy module imports nothing, so build it without WASI and without JavaScript glue`,
  );
}

function refuseStart(): never {
  throw refusal(
    "module_start",
    "the module has a start function, which would run before any call; do that work in `_initialize`",
  );
}

function readFunctions(section: Reader, { functions }: Structure): void {
  section.each(() => functions.push(section.u32()), count(section, "functions", FUNCTIONS));
}

function readTables(section: Reader): void {
  const length = count(section, "tables", TABLES);
  section.each(() => {
    if (section.rest()[0] === 0x40) throw feature("tables with a first value");
    valueType(section);
    const flags = section.byte();
    if (flags > 1) throw feature("tables that are shared, or have 64-bit indices");
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
  if (flags & 8) throw memoryRefusal("the memory has pages of a size of its own; keep 64 KiB");
  if (maximum === undefined) {
    throw memoryRefusal("the memory declares no maximum; give the linker one, for instance `-C link-arg=--max-memory=16777216`");
  }
  return { initial, maximum };
}

function memoryRefusal(message: string): AdjudicateError {
  return refusal("module_memory_type", message);
}

function readGlobals(section: Reader): void {
  const length = count(section, "globals", GLOBALS);
  section.each(() => {
    valueType(section);
    // Whether it may change.
    if (section.byte() > 1) throw feature("globals that are shared");
    readInstructions(section);
  }, length);
}

/** The elements of all segments together are bounded: they are written whenever an instance starts. */
function readElements(section: Reader): void {
  let elements = 0;
  const length = count(section, "element segments", SEGMENT_ELEMENTS);
  section.each(() => {
    // By its bits: passive or declared; with the index of a table, or the type; expressions instead of indices.
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
  const body = section.stretch(size);
  let locals = 0;
  body.each(() => {
    locals += body.u32();
    bounded("locals in one function", locals, LOCALS);
    valueType(body);
  });
  readInstructions(body);
  if (!body.isAtEnd) throw malformed("a function goes on behind its end");
}

function refusal(code: ErrorCode, message: string): AdjudicateError {
  return new AdjudicateError(code, message);
}

/** The functions of the interface: how many `i32` each takes and gives, and whether it must be there. */
const INTERFACE: readonly { name: string; takes: number; gives: number; required: boolean }[] = [
  { name: "adjudicate_abi_1", takes: 0, gives: 1, required: true },
  { name: "adjudicate_alloc", takes: 1, gives: 1, required: true },
  { name: "adjudicate_call", takes: 3, gives: 1, required: true },
  { name: "adjudicate_configure", takes: 2, gives: 1, required: false },
  { name: "_initialize", takes: 0, gives: 0, required: false },
];

const FUNCTION_KIND = 0;
const MEMORY_KIND = 2;

/**
 * Checks the exports of a module that is valid: which there must be, and of which type.
 *
 * @throws {AdjudicateError} `module_abi`, `module_exports`.
 */
export function checkExports({ exports, functions, types }: Structure): void {
  const other = exports.find(({ name }) => name.startsWith("adjudicate_abi_") && name !== "adjudicate_abi_1");
  if (other !== undefined) {
    const message = `the module exports ${quoted(other.name)}; this host speaks version 1 only, \`adjudicate_abi_1\``;
    throw refusal("module_abi", message);
  }
  const isKnown = (wanted: string) => INTERFACE.some(({ name }) => name === wanted);
  const surplus = exports.find(({ name }) => name.startsWith("adjudicate_") && !isKnown(name));
  if (surplus !== undefined) {
    const why = "which is not of the interface; names that begin with `adjudicate_` are reserved";
    throw refusal("module_exports", `the module exports ${quoted(surplus.name)}, ${why}`);
  }
  const memory = exports.find(({ name }) => name === "memory");
  if (memory === undefined) throw refusal("module_exports", "the module exports no memory named `memory`");
  if (memory.kind !== MEMORY_KIND) throw refusal("module_exports", "the export `memory` is not a memory");
  for (const { name, takes, gives, required } of INTERFACE) {
    const signature = `(${Array(takes).fill("i32").join(", ")}) -> ${gives === 0 ? "()" : "i32"}`;
    const found = exports.find((candidate) => candidate.name === name);
    if (found === undefined) {
      if (required) throw refusal("module_exports", `the module exports no \`${name}\`: ${signature}`);
      continue;
    }
    if (found.kind !== FUNCTION_KIND) throw refusal("module_exports", `the export \`${name}\` is not a function`);
    // There are no imports, so functions count from 0.
    const [parameters, results] = types[functions[found.index] ?? -1] ?? [];
    const areI32 = (list: readonly number[] | undefined, count: number) =>
      list?.length === count && list.every((type) => type === 0x7f);
    if (!areI32(parameters, takes) || !areI32(results, gives)) {
      throw refusal("module_exports", `the export \`${name}\` must be of type ${signature}`);
    }
  }
}

/**
 * The engine with deliberate defects: it traps when its input has a certain length.
 *
 * No call makes the engine trap on request, so this file adds the defect to the module. Each exported function gets a
 * prefix that checks the parameter with the length of the input.
 */

/** The exported functions with an input, and the index of the parameter with its length. */
const TAKING = {
  admit: 2,
  call: 2,
  composedcall_answer: 5,
  composedcall_evaluate: 2,
  hash_update: 2,
  join: 5,
  judge: 4,
  openenvelope_new: 1,
  openenvelope_set: 4,
  policy_call: 3,
  policy_new: 1,
  manifest: 1,
};

const EXPORT_SECTION = 7;
const CODE_SECTION = 10;
const IMPORT_SECTION = 2;
const FUNCTION_KIND = 0;

/** Returns the bytes of the module with the defect in these functions. */
export function trapping(wasm, length, names = Object.keys(TAKING)) {
  const sections = [...readSections(wasm)];
  const content = (id) => sections.find((section) => section.id === id)?.content;
  const imported = importedFunctions(content(IMPORT_SECTION));
  const targets = new Map(
    names.map((name) => [exportedFunction(content(EXPORT_SECTION), name) - imported, prefix(TAKING[name], length)]),
  );
  const parts = sections.map(({ id, content }) => {
    const body = id === CODE_SECTION ? withPrefixes(content, targets) : content;
    return [id, ...unsigned(body.length), ...body];
  });
  return Uint8Array.from([...wasm.subarray(0, 8), ...parts.flat()]);
}

/** `if (length of the input == length) unreachable` */
function prefix(parameter, length) {
  const [localGet, i32Const, i32Eq, ifVoid, unreachable, end] = [[0x20, parameter], 0x41, 0x46, [0x04, 0x40], 0x00, 0x0b];
  return [...localGet, i32Const, ...signed(length), i32Eq, ...ifVoid, unreachable, end];
}

function withPrefixes(code, targets) {
  const reader = new Reader(code);
  const count = reader.unsigned();
  const out = [...unsigned(count)];
  for (let index = 0; index < count; index++) {
    let body = [...reader.bytes(reader.unsigned())];
    const instructions = targets.get(index);
    if (instructions !== undefined) {
      const inner = new Reader(Uint8Array.from(body));
      for (let groups = inner.unsigned(); groups > 0; groups--) {
        inner.unsigned();
        inner.bytes(1);
      }
      body = [...body.slice(0, inner.at), ...instructions, ...body.slice(inner.at)];
    }
    out.push(...unsigned(body.length), ...body);
  }
  return out;
}

function exportedFunction(exports, wanted) {
  const reader = new Reader(exports);
  for (let left = reader.unsigned(); left > 0; left--) {
    const name = new TextDecoder().decode(reader.bytes(reader.unsigned()));
    const [kind] = reader.bytes(1);
    const index = reader.unsigned();
    if (kind === FUNCTION_KIND && name === wanted) return index;
  }
  throw new Error(`the module does not export a function ${wanted}`);
}

/** Returns the number of imported functions. The glue imports functions only. */
function importedFunctions(imports) {
  return imports === undefined ? 0 : new Reader(imports).unsigned();
}

function* readSections(wasm) {
  const reader = new Reader(wasm, 8);
  while (reader.at < wasm.length) {
    const [id] = reader.bytes(1);
    yield { id, content: reader.bytes(reader.unsigned()) };
  }
}

/** Reads the binary format from front to back. */
class Reader {
  constructor(bytes, at = 0) {
    this.source = bytes;
    this.at = at;
  }

  bytes(count) {
    this.at += count;
    return this.source.subarray(this.at - count, this.at);
  }

  unsigned() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const [byte] = this.bytes(1);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
}

function unsigned(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Encodes a value of 0 or more as a signed LEB128. */
function signed(value) {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}

/** Assembles small policy modules. */

const utf8 = (text) => [...new TextEncoder().encode(text)];

function leb(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

/** Encodes a number of 0 or more as a signed LEB128. */
function constant(value) {
  const bytes = [0x41];
  for (; value >= 0x40; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

const list = (items) => [...leb(items.length), ...items.flat()];
const sized = (bytes) => [...leb(bytes.length), ...bytes];
const section = (id, bytes) => [id, ...sized(bytes)];
const named = (name) => sized(utf8(name));

/** An infinite loop. */
export const LOOP = [0x03, 0x40, 0x0c, 0x00, 0x0b];

const MANIFEST = '{"abi":1,"name":"small","version":"1.0.0","operations":["evaluate"]}';

/**
 * Returns the bytes of a module that always returns the same reply.
 *
 * @param body The first instructions of `adjudicate_call`. `initialize` has those of `_initialize`, if any.
 */
export function module({ reply = "", body = [], initialize, manifest = MANIFEST } = {}) {
  const [record, text, room] = [16, 32, 65_536];
  const length = utf8(reply).length;
  const u32 = (value) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >> 24) & 0xff];
  const i32 = 0x7f;
  const code = (instructions) => sized([0x00, ...instructions, 0x0b]);
  const exported = (name, kind, index) => [...named(name), kind, index];
  const functions = [constant(0), constant(room), [...body, ...constant(record)]];
  const exports = [exported("memory", 2, 0), exported("adjudicate_abi_1", 0, 0), exported("adjudicate_alloc", 0, 1), exported("adjudicate_call", 0, 2)];
  const types = [0, 1, 2];
  if (initialize !== undefined) {
    functions.push(initialize);
    exports.push(exported("_initialize", 0, 3));
    types.push(3);
  }
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([[0x60, 0, 1, i32], [0x60, 1, i32, 1, i32], [0x60, 3, i32, i32, i32, 1, i32], [0x60, 0, 0]])),
    ...section(3, list(types.map((type) => [type]))),
    ...section(5, list([[1, 4, 4]])),
    ...section(7, list(exports)),
    ...section(10, list(functions.map(code))),
    ...section(11, list([[0, ...constant(record), 0x0b, ...sized([...u32(text), ...u32(length)])], [0, ...constant(text), 0x0b, ...sized(utf8(reply))]])),
    ...section(0, [...named("adjudicate.manifest"), ...utf8(manifest)]),
  ]);
}

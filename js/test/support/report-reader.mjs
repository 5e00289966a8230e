/** Reads reports by `collect.wasm` alone, so that it runs in Node and in a page. */

/** Returns a function that reads a report of a format. It returns the reading, or `{ error }`, as text. */
export async function reportReader(module) {
  const { memory, reserve, address, read_report } = (await WebAssembly.instantiate(module)).exports;
  return (bytes, format) => {
    const fields = [bytes, new TextEncoder().encode(format)];
    const length = fields.reduce((sum, field) => sum + 4 + field.length, 0);
    let at = reserve(length);
    for (const field of fields) {
      new DataView(memory.buffer).setUint32(at, field.length, true);
      new Uint8Array(memory.buffer, at + 4).set(field);
      at += 4 + field.length;
    }
    read_report();
    const end = address();
    const view = new DataView(memory.buffer);
    const name = view.getUint32(end, true);
    const document = end + 4 + name;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, document + 4, view.getUint32(document, true)));
  };
}

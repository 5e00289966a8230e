// Prints the size of each area of the source in the engine: `node areas.mjs LINES.wasm ENGINE.wasm` writes a table of
// bytes of code by area. It reads a module with line tables, from before `wasm-opt`, and shows the final size of the
// engine.
//
// The table counts lines, not functions: inlined code counts where it is written. Generic code of the standard library
// counts there, for all of our types together.

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const decoder = new TextDecoder();

/** Reads numbers of DWARF and of WebAssembly from bytes, one after the other. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  u8() {
    return this.bytes[this.at++];
  }

  fixed(width) {
    const at = this.at;
    this.at += width;
    switch (width) {
      case 1:
        return this.view.getUint8(at);
      case 2:
        return this.view.getUint16(at, true);
      case 4:
        return this.view.getUint32(at, true);
      default:
        return Number(this.view.getBigUint64(at, true));
    }
  }

  /** Reads a number in LEB128. */
  number() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) return value;
    }
  }

  text() {
    const from = this.at;
    while (this.u8() !== 0);
    return decoder.decode(this.bytes.subarray(from, this.at - 1));
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** The sections of a module: custom sections by name, the others by number. */
function sections(module) {
  const found = new Map();
  const reader = new Reader(module, 8);
  while (reader.at < module.length) {
    const id = reader.u8();
    const content = new Reader(reader.take(reader.number()));
    const name = id === 0 ? decoder.decode(content.take(content.number())) : id;
    found.set(name, content.bytes.subarray(content.at));
  }
  return found;
}

/** Calls `row` for each row of the line tables, with the address at which a file's line begins, or at which no line is. */
function eachRow(parts, row) {
  const reader = new Reader(parts.get(".debug_line"));
  const strings = { 0x0e: parts.get(".debug_str"), 0x1f: parts.get(".debug_line_str") };
  while (reader.at < reader.bytes.length) {
    const length = reader.fixed(4);
    run(new Reader(reader.take(length)), strings, row);
  }
}

function run(unit, strings, row) {
  const version = unit.fixed(2);
  if (version < 4 || version > 5) throw new Error(`line tables of DWARF version ${version}`);
  if (version === 5) unit.take(2);
  const program = unit.fixed(4) + unit.at;
  const least = unit.u8();
  unit.take(2);
  unit.take(1);
  const lineRange = unit.u8();
  const opcodeBase = unit.u8();
  const operands = Array.from(unit.take(opcodeBase - 1));
  const files = version === 5 ? filesOf5(unit, strings) : filesOf4(unit);

  unit.at = program;
  let address = 0;
  let file = 1;
  while (unit.at < unit.bytes.length) {
    const opcode = unit.u8();
    if (opcode >= opcodeBase) {
      address += Math.floor((opcode - opcodeBase) / lineRange) * least;
      row(address, files[file]);
    } else if (opcode === 0) {
      const end = unit.number() + unit.at;
      const extended = unit.u8();
      if (extended === 1) {
        row(address, undefined);
        [address, file] = [0, 1];
      } else if (extended === 2) address = unit.fixed(end - unit.at);
      unit.at = end;
    } else if (opcode === 1) row(address, files[file]);
    else if (opcode === 2) address += unit.number() * least;
    else if (opcode === 4) file = unit.number();
    else if (opcode === 8) address += Math.floor((255 - opcodeBase) / lineRange) * least;
    else if (opcode === 9) address += unit.fixed(2);
    else for (let left = operands[opcode - 1]; left > 0; left--) unit.number();
  }
}

function filesOf4(unit) {
  const folders = [""];
  while (unit.bytes[unit.at] !== 0) folders.push(unit.text());
  unit.at++;
  const files = [""];
  while (unit.bytes[unit.at] !== 0) {
    const name = unit.text();
    const folder = folders[unit.number()];
    unit.number();
    unit.number();
    files.push(`${folder}/${name}`);
  }
  return files;
}

function filesOf5(unit, strings) {
  const folders = entries(unit, strings).map((entry) => entry.get(1));
  return entries(unit, strings).map((entry) => `${folders[entry.get(2) ?? 0]}/${entry.get(1)}`);
}

function entries(unit, strings) {
  const format = Array.from({ length: unit.u8() }, () => [unit.number(), unit.number()]);
  const value = (form) => {
    if (form in strings) return new Reader(strings[form], unit.fixed(4)).text();
    switch (form) {
      case 0x08:
        return unit.text();
      case 0x0b:
        return unit.u8();
      case 0x0f:
        return unit.number();
      case 0x1e:
        return unit.take(16);
      default:
        throw new Error(`a file in form ${form}`);
    }
  };
  return Array.from({ length: unit.number() }, () => new Map(format.map(([what, form]) => [what, value(form)])));
}

/** The area of a source file: the path of a module in a crate, cut to `depth` names. */
function area(file, depth) {
  const own = /(?:^|\/)(core|lang|wasm)\/src\/(.*)$/.exec(file);
  const library = /library\/(\w+)\/src\/(.*)$/.exec(file);
  const foreign = /\/([a-z0-9_-]+)-\d+\.\d+\.\d+[^/]*\/src\//.exec(file);
  const path = (crate, rest) => [crate, ...rest.replace(/(?:\/mod)?\.rs$/, "").split("/")].slice(0, depth + 1).join("::");
  if (library) return path(library[1] === "core" ? "std core" : `std ${library[1]}`, library[2]);
  if (own) return path(own[1], own[2]);
  return foreign ? foreign[1] : "other";
}

/** Bytes of code by area, and the sum. */
function areas(module, depth) {
  const parts = sections(module);
  if (!parts.has(".debug_line")) throw new Error("the module has no line tables");
  const bytes = new Map();
  const all = parts.get(10).length;
  let from;
  let name;
  eachRow(parts, (address, file) => {
    // The linker gives omitted code the address 0, or one past the end. No other code begins there.
    const isThere = from > 0 && from < all;
    if (name !== undefined && isThere && address > from) bytes.set(name, (bytes.get(name) ?? 0) + address - from);
    [from, name] = [address, file === undefined ? undefined : area(file, depth)];
  });
  return { bytes, all };
}

/** The table, with the largest area first. Areas below one hundredth share one line. */
function table(module, engine) {
  const { bytes, all } = areas(module, 1);
  const rows = [...bytes].filter(([, size]) => size >= all / 100).sort(([, one], [, other]) => other - one);
  rows.push(["everything else", all - rows.reduce((sum, [, size]) => sum + size, 0)], ["all code", all]);
  const lines = rows.map(([name, size]) => `| ${name} | ${size} | ${((100 * size) / all).toFixed(1)} % |`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: engine.length };
  const packed = brotliCompressSync(engine, { params }).length;
  const end = `engine.wasm: ${engine.length} bytes, ${packed} with brotli, of which its ${sections(engine).get(11).length} bytes of data are a part`;
  return ["| area | bytes of code, before wasm-opt | |", "| --- | ---: | ---: |", ...lines, "", end].join("\n");
}

if (argv[1] === fileURLToPath(import.meta.url)) console.log(table(readFileSync(argv[2]), readFileSync(argv[3])));

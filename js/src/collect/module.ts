/** The WebAssembly of collections: `collect.wasm`, which has all code of a collection except files and processes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { AdjudicateError, reasonOf } from "../error.js";

declare const __dirname: string | undefined;

/** The exports of the module. Functions that return a number return the length of a message at `address`. */
interface CollectExports {
  readonly memory: WebAssembly.Memory;
  reserve(length: number): number;
  address(): number;
  begin(): number;
  resume(): number;
  read_report(): number;
}

/** The fields of a message. */
export type MessageFields = readonly (string | Uint8Array)[];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns a field as text. */
export function textOf(field: Uint8Array | undefined): string {
  return decoder.decode(field);
}

let compiling: Promise<WebAssembly.Module> | undefined;

/** An instance of the module. It has one collection. */
export class CollectInstance {
  readonly #exports: CollectExports;

  private constructor(exports: CollectExports) {
    this.#exports = exports;
  }

  /** @throws {AdjudicateError} `engine_load` if the module cannot be read or compiled. */
  static async create(): Promise<CollectInstance> {
    try {
      compiling ??= readFile(fileOf("collect.wasm")).then((bytes) => WebAssembly.compile(bytes));
      const { exports } = await WebAssembly.instantiate(await compiling);
      return new CollectInstance(exports as unknown as CollectExports);
    } catch (cause) {
      compiling = undefined;
      throw new AdjudicateError("engine_load", `the WebAssembly of collections cannot be loaded: ${reasonOf(cause)}`, "", { cause });
    }
  }

  /** Sends a message to a function, and returns the fields of its reply, which stay valid. */
  call(name: "begin" | "resume" | "read_report", fields: MessageFields): Uint8Array[] {
    const exports = this.#exports;
    try {
      const message = joined(fields);
      // A call may grow the memory, which then has another buffer.
      const address = exports.reserve(message.length);
      new Uint8Array(exports.memory.buffer, address).set(message);
      const length = exports[name]();
      return split(new Uint8Array(exports.memory.buffer, exports.address(), length).slice());
    } catch (cause) {
      throw new AdjudicateError("trap", `the WebAssembly of collections trapped: ${reasonOf(cause)}`, "", { cause });
    }
  }
}

/** Returns the path of a file next to the entries of the package. */
function fileOf(name: string): string {
  return join(typeof __dirname === "string" ? __dirname : fileURLToPath(new URL(".", import.meta.url)), "..", name);
}

/** Joins fields to a message: each with its length in four bytes before it. */
export function joined(fields: MessageFields): Uint8Array {
  const parts = fields.map((field) => (typeof field === "string" ? encoder.encode(field) : field));
  const message = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(message.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    message.set(part, at + 4);
    at += 4 + part.length;
  }
  return message;
}

/** Returns the fields of a message. */
export function split(message: Uint8Array): Uint8Array[] {
  const view = new DataView(message.buffer);
  const fields: Uint8Array[] = [];
  for (let at = 0; at < message.length; ) {
    const end = at + 4 + view.getUint32(at, true);
    fields.push(message.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

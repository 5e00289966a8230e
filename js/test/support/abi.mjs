/**
 * A minimal host of the policy-module interface, version 1, for `engine.wasm`.
 *
 * The module is `ADJUDICATE_ENGINE`, or the latest build of the workspace.
 */
import { join } from "node:path";
import { env } from "node:process";

import { root } from "./installed.mjs";

export const engineFile = env.ADJUDICATE_ENGINE ?? join(root, "..", "target", "artifacts", "engine.wasm");

/** An instance: `call(number, input)` takes bytes and returns the text of the reply. */
export class Module {
  constructor(module) {
    this.exports = new WebAssembly.Instance(module, {}).exports;
    this.exports._initialize?.();
    if (this.exports.adjudicate_abi_1() !== 0) throw new Error("a newer version of the interface");
  }

  call(number, input) {
    return this.reply(this.exports.adjudicate_call(number, this.write(input), input.length));
  }

  /** The address of the input. */
  write(input) {
    const address = this.exports.adjudicate_alloc(input.length) >>> 0;
    if (address === 0) throw new Error("the module cannot allocate the input");
    new Uint8Array(this.exports.memory.buffer, address, input.length).set(input);
    return address;
  }

  /** The text that a reply record points to. */
  reply(record) {
    const { buffer } = this.exports.memory;
    const view = new DataView(buffer, record >>> 0, 8);
    const text = new Uint8Array(buffer, view.getUint32(0, true), view.getUint32(4, true));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  }
}

/**
 * Engines with deliberate defects: they trap when their input has a certain length. Runs in Node and in a page.
 *
 * No call makes the engine trap on request. So the exports of later instances, which the glue calls, check the parameter with the length of
 * the input first.
 */
import { module as wasm } from "./wasm.mjs";

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

/** Gives all later instances of the engine the defect. */
export function trapping(length) {
  const { Instance, Module } = WebAssembly;
  const { adjudicate_call: trap } = new Instance(new Module(wasm({ body: [0x00] }))).exports;
  const defective = (name, run) => (...given) => (given[TAKING[name]] === length ? trap(0, 0, 0) : run(...given));
  WebAssembly.Instance = class extends Instance {
    #exports;
    get exports() {
      const entries = Object.entries(super.exports).map(([name, value]) => [name, name in TAKING ? defective(name, value) : value]);
      return (this.#exports ??= Object.fromEntries(entries));
    }
  };
}

/** The engine module through the module interface, in Node. `adjudicate conformance` shows what the interface requires. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Module, engineFile } from "./support/abi.mjs";
import { NUMBERS } from "./support/operations.mjs";

const skip = existsSync(engineFile) ? false : `${engineFile} is not built`;
const compiled = skip ? undefined : new WebAssembly.Module(readFileSync(engineFile));
const utf8 = (value) => Buffer.from(JSON.stringify(value));
const codeOf = (reply) => JSON.parse(reply).error?.code;

test("input from outside of the buffers is refused", { skip }, () => {
  const module = new Module(compiled);
  const buffer = module.write(utf8({}));
  for (const [address, length] of [[0, 2], [1, 1], [buffer - 1, 2], [buffer, 1_000_000], [buffer, -1], [-1, 1], [-1, -1], [2 ** 31, 2 ** 31], [65_536, 1000]]) {
    const call = module.reply(module.exports.adjudicate_call(NUMBERS.evaluate, address, length));
    const configured = module.reply(module.exports.adjudicate_configure(address, length));
    assert.deepEqual([codeOf(call), codeOf(configured)], ["invalid_value", "invalid_value"], `${address} ${length}`);
  }
  assert.equal(codeOf(module.call(NUMBERS.evaluate, utf8({}))), "missing_field");
});

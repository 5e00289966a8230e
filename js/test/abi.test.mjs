/** The engine module through the module interface, in Node. `adjudicate conformance` shows what the interface requires. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Module, engineFile } from "./support/abi.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { NUMBERS, PLAN_CALLS } from "./support/operations.mjs";

const skip = existsSync(engineFile) ? false : `${engineFile} is not built`;
const compiled = skip ? undefined : new WebAssembly.Module(readFileSync(engineFile));
const utf8 = (value) => Buffer.from(JSON.stringify(value));
const codeOf = (reply) => JSON.parse(reply).error?.code;

test("input from outside of the buffers is refused", { skip }, () => {
  const module = new Module(compiled);
  const buffer = module.write(utf8({}));
  for (const [address, length] of [
    [0, 2],
    [1, 1],
    [buffer - 1, 2],
    [buffer, 1_000_000],
    [buffer, -1],
    [-1, 1],
    [-1, -1],
    [2 ** 31, 2 ** 31],
    [65_536, 1000],
  ]) {
    const call = module.reply(module.exports.adjudicate_call(NUMBERS.evaluate, address, length));
    const configured = module.reply(module.exports.adjudicate_configure(address, length));
    assert.deepEqual([codeOf(call), codeOf(configured)], ["invalid_value", "invalid_value"], `${address} ${length}`);
  }
  assert.equal(codeOf(module.call(NUMBERS.evaluate, utf8({}))), "missing_field");
});

test("a configured policy serves every operation that takes one, and no other", { skip }, () => {
  const module = new Module(compiled);
  const whole = { envelope: envelope(), policy: STRICT_POLICY };
  const calls = Object.entries({
    evaluate: [whole, envelope()],
    refine: [whole, { envelope: envelope() }],
    check_policy: [{ policy: STRICT_POLICY }, {}],
    explain: [{ ...whole, trace: true }, { envelope: envelope(), trace: true }],
    facts: [whole, envelope()],
  });
  const plans = () => Object.entries(PLAN_CALLS).map(([name, call]) => module.call(NUMBERS[name], utf8(call)));
  const [expected, before] = [calls.map(([name, [given]]) => module.call(NUMBERS[name], utf8(given))), plans()];
  for (const reply of [...expected, ...before]) assert.ok(reply.startsWith('{"ok":'), reply);
  assert.equal(module.configure(utf8(STRICT_POLICY)), '{"ok":null}');
  for (const [index, [name, [given, alone]]] of calls.entries()) {
    assert.equal(module.call(NUMBERS[name], utf8(alone)), expected[index], name);
    assert.equal(JSON.parse(module.call(NUMBERS[name], utf8(given))).error.path, "/policy", name);
  }
  assert.deepEqual(plans(), before);
});

/** The engine module through the module interface, in Node. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Module, NUMBERS, engineFile } from "./support/abi.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { PLAN_CALLS } from "./support/plan.mjs";

const EVALUATE = NUMBERS.evaluate;
const skip = existsSync(engineFile) ? false : `${engineFile} is not built`;
const compiled = skip ? undefined : new WebAssembly.Module(readFileSync(engineFile));
const utf8 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const codeOf = (reply) => JSON.parse(reply).error?.code;

test("the module imports nothing and has a manifest", { skip }, () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
  const [manifest, ...more] = WebAssembly.Module.customSections(compiled, "adjudicate.manifest");
  const { abi, name, operations } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(manifest));
  assert.deepEqual({ abi, name, operations }, { abi: 1, name: "adjudicate-engine", operations: Object.keys(NUMBERS) });
  assert.deepEqual(more, []);
});

test("a reply outlives buffers that are allocated before the next call", { skip }, () => {
  const module = new Module(compiled);
  const { adjudicate_alloc, adjudicate_call, memory } = module.exports;
  const input = utf8(envelope());
  const expected = module.call(EVALUATE, input);
  const address = module.write(input);
  const record = adjudicate_call(EVALUATE, address, input.length);
  for (const length of [0, 1, 7, 100, 100_000]) {
    const buffer = adjudicate_alloc(length);
    new Uint8Array(memory.buffer, buffer, length).fill(0xaa);
  }
  assert.equal(module.reply(record), expected);
});

test("the first buffer of several is as good as the last", { skip }, () => {
  const module = new Module(compiled);
  const first = module.write(utf8(envelope()));
  module.write(Buffer.alloc(10_000, 0xaa));
  const reply = module.reply(module.exports.adjudicate_call(EVALUATE, first, utf8(envelope()).length));
  assert.ok(reply.startsWith('{"ok":{"decision":{"status":"success"'), reply);
});

test("a buffer of no bytes is an empty document", { skip }, () => {
  const module = new Module(compiled);
  assert.notEqual(module.exports.adjudicate_alloc(0), 0);
  for (let repeat = 0; repeat < 3; repeat++) assert.equal(codeOf(module.call(EVALUATE, utf8(""))), "malformed_json");
});

test("input from outside of the buffers is refused", { skip }, () => {
  const module = new Module(compiled);
  const buffer = module.write(utf8("{}"));
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
    for (const call of [
      () => module.exports.adjudicate_call(EVALUATE, address, length),
      () => module.exports.adjudicate_configure(address, length),
    ]) {
      assert.equal(codeOf(module.reply(call())), "invalid_value", `${address} ${length}`);
    }
  }
  assert.equal(codeOf(module.call(EVALUATE, utf8("{}"))), "missing_field");
});

test("an input that does not fit is refused, and the module answers the next call", { skip }, () => {
  const module = new Module(compiled);
  for (const length of [16 << 20, 0x7fff_ffff, -1, -0x8000_0000]) {
    assert.equal(module.exports.adjudicate_alloc(length), 0, `${length}`);
  }
  assert.equal(codeOf(module.call(EVALUATE, utf8("{}"))), "missing_field");
  let blocks = 0;
  while (module.exports.adjudicate_alloc(1 << 20) !== 0) blocks++;
  assert.ok(blocks >= 14 && blocks < 16, `${blocks} MiB could be had`);
});

test("operations that it does not have are refused", { skip }, () => {
  const module = new Module(compiled);
  for (const number of [0, Object.keys(NUMBERS).length + 1, -1, 0x7fff_ffff]) {
    assert.equal(codeOf(module.call(number, utf8(envelope()))), "unsupported_operation");
  }
});

test("a configured policy serves later calls, and a second one is refused", { skip }, () => {
  const module = new Module(compiled);
  for (const refused of ["", "null", "[]", '{"policy":"p"}', "\u0000asm"]) {
    assert.ok(codeOf(module.configure(utf8(refused))), refused);
  }
  const before = module.call(EVALUATE, utf8(envelope()));
  assert.equal(module.configure(utf8(STRICT_POLICY)), '{"ok":null}');
  const both = utf8({ envelope: envelope(), policy: STRICT_POLICY });
  const expected = new Module(compiled).call(EVALUATE, both);
  assert.notEqual(expected, before);
  for (let repeat = 0; repeat < 1000; repeat++) {
    assert.equal(module.call(EVALUATE, utf8(envelope())), expected);
  }
  assert.equal(JSON.parse(module.call(EVALUATE, both)).error.path, "/policy");
  assert.equal(codeOf(module.configure(utf8(STRICT_POLICY))), "invalid_value");
  assert.equal(module.call(EVALUATE, utf8(envelope())), expected);
});

test("a configured policy serves every operation that takes one", { skip }, () => {
  const module = new Module(compiled);
  const calls = Object.entries({
    evaluate: [{ envelope: envelope(), policy: STRICT_POLICY }, envelope()],
    refine: [{ envelope: envelope(), policy: STRICT_POLICY }, { envelope: envelope() }],
    check_policy: [{ policy: STRICT_POLICY }, {}],
    explain: [{ envelope: envelope(), policy: STRICT_POLICY, trace: true }, { envelope: envelope(), trace: true }],
    facts: [{ envelope: envelope(), policy: STRICT_POLICY }, envelope()],
  });
  const expected = calls.map(([name, [whole]]) => module.call(NUMBERS[name], utf8(whole)));
  for (const reply of expected) assert.ok(reply.startsWith('{"ok":'), reply);
  assert.equal(module.configure(utf8(STRICT_POLICY)), '{"ok":null}');
  for (const [index, [name, [whole, alone]]] of calls.entries()) {
    assert.equal(module.call(NUMBERS[name], utf8(alone)), expected[index], name);
    assert.equal(JSON.parse(module.call(NUMBERS[name], utf8(whole))).error.path, "/policy", name);
  }
});

test("a configured policy does not change the answers about plans and guardrails", { skip }, () => {
  const module = new Module(compiled);
  const replies = () => Object.entries(PLAN_CALLS).map(([name, call]) => module.call(NUMBERS[name], utf8(call)));
  const before = replies();
  for (const reply of before) assert.ok(reply.startsWith('{"ok":'), reply);
  assert.equal(module.configure(utf8(STRICT_POLICY)), '{"ok":null}');
  assert.deepEqual(replies(), before);
});

test("the deepest and the largest documents neither trap nor answer wrongly", { skip }, () => {
  const module = new Module(compiled);
  const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
  const carrying = (text) => utf8(JSON.stringify(envelope()).replace(/}$/, `,"x-carried":${text}}`));
  assert.ok(module.call(EVALUATE, carrying(nested(127))).startsWith('{"ok":'));
  assert.equal(codeOf(module.call(EVALUATE, carrying(nested(128)))), "limit_exceeded");
  assert.equal(codeOf(module.call(EVALUATE, utf8("[".repeat(1_000_000)))), "limit_exceeded");
  assert.ok(module.call(EVALUATE, carrying(JSON.stringify("a".repeat(2 << 20)))).startsWith('{"ok":'));
  assert.equal(codeOf(module.call(EVALUATE, Buffer.alloc((8 << 20) + 1, 0x20))), "limit_exceeded");
});

test("calls do not grow the memory of a module", { skip }, () => {
  const module = new Module(compiled);
  const inputs = ["", "{", '{"run_id":1}', "[".repeat(200), envelope(), { envelope: envelope(), policy: STRICT_POLICY }];
  inputs.push(...Object.values(PLAN_CALLS));
  const asked = Object.values(NUMBERS).flatMap((number) => inputs.map((input) => [number, utf8(input)]));
  const run = (calls) => {
    for (let call = 0; call < calls; call++) {
      assert.notEqual(module.call(...asked[call % asked.length]), "");
    }
  };
  run(1000);
  const before = module.memoryBytes;
  // A leak of one byte per call would be three pages.
  run(200_000);
  assert.equal(module.memoryBytes, before);
});

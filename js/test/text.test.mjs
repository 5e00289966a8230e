/** Limits of texts, private copies of bytes, and the buffers of the module interface. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Module, engineFile } from "./support/abi.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { observed } from "./support/memory.mjs";

const { main } = (await bothForms(install())).import;
const engine = main.createEngineSync();
const bytes = new TextEncoder().encode(JSON.stringify(envelope()));
const expected = engine.evaluateText(bytes);

const LIMIT = 8 << 20;
const skip = existsSync(engineFile) ? false : `${engineFile} is not built`;

/** The functions that take text. */
const takers = (engine) => {
  const parsed = engine.policy(STRICT_POLICY);
  return [
    (text) => engine.evaluateText(text),
    (text) => engine.evaluateText(bytes, { policy: text }),
    (text) => engine.policyText(text),
    (text) => parsed.evaluateText(text),
  ];
};

test("bytes are as many as they are, not as they say", () => {
  class Liar extends Uint8Array {
    *[Symbol.iterator]() {}
    static get [Symbol.species]() {
      return Array;
    }
  }
  const lies = { length: 4, byteLength: 4, byteOffset: 1, buffer: new ArrayBuffer(0) };
  for (const [name, value] of Object.entries(lies)) Object.defineProperty(Liar.prototype, name, { get: () => value });
  const owner = (length) => Object.defineProperty(Uint8Array.from(bytes), "length", { value: length });
  for (const liar of [Liar.from(bytes), owner(0), owner(4), owner(1e9), owner(-1), owner({})]) {
    assert.equal(engine.evaluateText(liar), expected);
    const large = Object.defineProperty(new Uint8Array(3_000_000).fill(0x20), "length", { value: 4 });
    assert.throws(() => engine.evaluateText(large), { code: "malformed_json" });
    assert.equal(engine.evaluateText(bytes), expected);
  }
});

test("bytes in memory that is shared, resizable or part of another are bytes", () => {
  const filled = (buffer, offset = 0) => {
    const view = new Uint8Array(buffer, offset, bytes.length);
    view.set(bytes);
    return view;
  };
  for (const view of [
    filled(new SharedArrayBuffer(bytes.length)),
    filled(new ArrayBuffer(bytes.length, { maxByteLength: 1 << 20 })),
    filled(new ArrayBuffer(bytes.length + 99), 33),
    Buffer.from(bytes),
    Object.setPrototypeOf(Uint8Array.from(bytes), null),
  ]) {
    assert.equal(engine.evaluateText(view), expected);
  }
  const tracking = new Uint8Array(new ArrayBuffer(0, { maxByteLength: 1 << 20 }));
  assert.throws(() => engine.evaluateText(tracking), { code: "malformed_json" });
  tracking.buffer.resize(bytes.length);
  tracking.set(bytes);
  assert.equal(engine.evaluateText(tracking), expected);
});

test("bytes that were given away are no bytes", () => {
  const given = Uint8Array.from(bytes);
  structuredClone(given.buffer, { transfer: [given.buffer] });
  const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
  const beyond = new Uint8Array(buffer, 4, 4);
  buffer.resize(2);
  for (const view of [given, beyond]) {
    for (const take of takers(engine)) {
      assert.throws(() => take(view), { code: "wrong_usage", message: /cannot be read/ });
    }
  }
});

test("a parsed policy keeps no bytes of the caller's", () => {
  const document = new TextEncoder().encode(JSON.stringify(STRICT_POLICY));
  const policy = engine.policyText(document);
  document.fill(0);
  assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
});

test("a text that is too long gets the engine's error before it is copied", () => {
  const { engine, memory } = observed(main.createEngineSync);
  const all = takers(engine);
  const before = memory.buffer.byteLength;
  for (const [text, length] of [
    [new Uint8Array(LIMIT + 1), LIMIT + 1],
    [new Uint8Array(100_000_000), 100_000_000],
    [" ".repeat(LIMIT + 1), LIMIT + 1],
    [" ".repeat(100_000_000), 100_000_000],
    ["é".repeat(LIMIT / 2 + 1), LIMIT + 2],
    ["é".repeat(LIMIT + 1), 2 * LIMIT + 2],
    ["€".repeat(LIMIT), 3 * LIMIT],
    ["🚀".repeat(LIMIT), 4 * LIMIT],
    // A lone surrogate is ill-formed, but the limit is checked first, as for bytes.
    ["\ud800".repeat(LIMIT + 1), 3 * LIMIT + 3],
    ["\udc00".repeat(LIMIT + 1), 3 * LIMIT + 3],
  ]) {
    for (const take of all) {
      const message = new RegExp(`^(policy: )?input of ${length} bytes is over the limit of ${LIMIT}$`);
      assert.throws(() => take(text), { name: "AdjudicateError", code: "limit_exceeded", path: "", message });
    }
  }
  assert.equal(memory.buffer.byteLength, before);
});

test("values that are too large are refused before they are text", () => {
  const { engine, memory } = observed(main.createEngineSync);
  const parsed = engine.policy(STRICT_POLICY);
  const before = memory.buffer.byteLength;
  const long = "a".repeat(500_000_000);
  let doubling = [];
  for (let level = 0; level < 60; level++) doubling = [doubling, doubling];
  const many = ["0", 0, null, true, [], {}].map((item) => new Array(9_000_000).fill(item));
  const ways = [
    (value) => engine.evaluate(value),
    (value) => engine.evaluate(envelope({ "x-carried": value })),
    (value) => engine.evaluate(envelope(), { policy: value }),
    (value) => engine.policy(value),
    (value) => parsed.evaluate(value),
  ];
  const refused = (run) => assert.throws(run, { name: "AdjudicateError", code: "limit_exceeded", path: "" });
  for (const way of ways) refused(() => way([long, long]));
  for (const value of [{ a: long, b: long }, { [long]: 1 }, doubling, ...many]) refused(() => ways[1](value));
  // The text is within the limit in characters, and over it in bytes.
  assert.throws(() => engine.evaluate(["é".repeat(LIMIT - 100)]), { code: "limit_exceeded", path: "" });
  assert.equal(memory.buffer.byteLength, before);
});

test("the limit is the engine's own", { skip }, () => {
  const module = new Module(new WebAssembly.Module(readFileSync(engineFile)));
  const padded = (length) => {
    const text = new Uint8Array(length).fill(0x20);
    text.set(bytes);
    return text;
  };
  const reply = module.call(1, padded(LIMIT + 1));
  for (const text of [padded(LIMIT + 1), Buffer.from(padded(LIMIT + 1)).toString()]) {
    assert.throws(() => engine.evaluateText(text), (error) => JSON.stringify(error) === reply);
  }
  assert.equal(engine.evaluateText(padded(LIMIT)), expected);
  const carried = "a".repeat(LIMIT - JSON.stringify(envelope({ "x-carried": "" })).length);
  assert.deepEqual(engine.evaluate(envelope({ "x-carried": carried })), JSON.parse(expected));
  assert.throws(() => engine.evaluate(envelope({ "x-carried": `${carried}a` })), { code: "limit_exceeded", path: "" });
});

test("input from outside of the buffers is refused", { skip }, () => {
  const module = new Module(new WebAssembly.Module(readFileSync(engineFile)));
  const codeOf = (reply) => JSON.parse(reply).error?.code;
  const buffer = module.write(Buffer.from("{}"));
  for (const [address, length] of [[0, 2], [1, 1], [buffer - 1, 2], [buffer, 1_000_000], [buffer, -1], [-1, 1], [-1, -1], [2 ** 31, 2 ** 31], [65_536, 1000]]) {
    const call = module.reply(module.exports.adjudicate_call(1, address, length));
    const configured = module.reply(module.exports.adjudicate_configure(address, length));
    assert.deepEqual([codeOf(call), codeOf(configured)], ["invalid_value", "invalid_value"], `${address} ${length}`);
  }
  assert.equal(codeOf(module.call(1, Buffer.from("{}"))), "missing_field");
});

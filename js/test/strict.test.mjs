/** The conversion of values to JSON text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";

const { AdjudicateError, createEngineSync } = (await bothForms(install())).import.main;
const engine = createEngineSync();

/** Evaluates an envelope with the value in an `x-` field. */
function carry(value) {
  return engine.evaluate(envelope({ "x-carried": value }));
}

const cycle = { a: [] };
cycle.a.push(cycle);
const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const shared = { b: { c: 1 } };
const throwing = {
  enumerable: true,
  get() {
    throw new Error("mine");
  },
};
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
class Step {
  constructor() {
    this.id = "publish";
  }
}

for (const [what, value, path] of [
  ["Map", new Map([["a", 1]]), ""],
  ["Map of another realm", runInNewContext("new Map()"), ""],
  ["RegExp", /a/, ""],
  ["Promise", Promise.resolve(), ""],
  ["typed array", new Float64Array(1), ""],
  ["boxed number", new Number(Number.NaN), ""],
  ["NaN", Number.NaN, ""],
  ["Infinity", Number.POSITIVE_INFINITY, ""],
  ["BigInt", 1n, ""],
  ["symbol", Symbol("a"), ""],
  ["function", () => 1, ""],
  ["symbol as a member", { a: Symbol("a") }, "/a"],
  ["undefined in a list", [1, undefined], "/1"],
  ["hole in a list", [1, , 2], "/1"],
  ["lone surrogate", "a\ud800b", ""],
  ["lone surrogate in a key", { "\udc00": 1 }, "/\udc00"],
  ["cycle", cycle, "/a/0"],
  ["NaN deep inside", { "a/b": [{ "c~d": Number.NaN }] }, "/a~1b/0/c~0d"],
  ["toJSON that gives NaN", { toJSON: () => Number.NaN }, ""],
  ["toJSON that gives undefined in a list", [{ toJSON: () => undefined }], "/0"],
  ["NaN beside a toJSON", { at: new Date(0), value: Number.NaN }, "/value"],
  ["an invalid date", { at: new Date(Number.NaN) }, "/at"],
  ["an invalid date of another realm", [runInNewContext("new Date(NaN)")], "/0"],
  ["a date that is no text", Object.assign(new Date(0), { toJSON: undefined }), ""],
  ["a symbol as a key", { a: { [Symbol("b")]: 1 } }, "/a"],
  ["a hidden symbol as a key", Object.defineProperty({}, Symbol("b"), { value: 1 }), ""],
  ["a symbol as a key of a list", [Object.assign([1], { [Symbol("b")]: 1 })], "/0"],
  ["a member that is not enumerable", [Object.defineProperty({ a: 1 }, "b/c", { value: 1 })], "/0/b~1c"],
  ["such a member of an instance", Object.defineProperty(new Step(), "b", { value: 1 }), "/b"],
  ["a named member of a list", { list: Object.assign(["a"], { b: 1 }) }, "/list/b"],
  ["what a match gives", { matched: "ab".match(/a(?<name>b)/) }, "/matched/index"],
  ["a long list with a hole", new Array(4_000_000_000), "/0"],
  ["a getter that throws", { a: [Object.defineProperty({ b: 1 }, "c/d", throwing)] }, "/a/0/c~1d"],
  ["a getter of an item that throws", Object.defineProperty([1, 2], 1, throwing), "/1"],
  ["a toJSON that throws", { a: { toJSON: throwing.get } }, "/a"],
  ["a toJSON whose getter throws", { a: Object.defineProperty({}, "toJSON", throwing) }, "/a"],
  ["a revoked proxy", [revoked({})], "/0"],
  ["a proxy that throws", { a: new Proxy({}, { ownKeys: throwing.get }) }, "/a"],
  ["a proxy of a list that throws", [[1, 2], new Proxy([], { ownKeys: throwing.get })], "/1"],
  ["a proxy without a length", [[1, 2], new Proxy([], throwing)], "/1"],
  ["a proxy of a Map", { a: new Proxy(new Map(), {}) }, "/a"],
]) {
  test(`${what} is refused`, () => {
    assert.throws(() => carry(value), (error) => {
      assert.ok(error instanceof AdjudicateError, String(error));
      assert.equal(error.code, "invalid_value", error.message);
      assert.equal(error.path, `/x-carried${path}`);
      return true;
    });
  });
}

for (const [what, value] of [
  ["undefined", undefined],
  ["null", null],
  ["an object without prototype", Object.assign(Object.create(null), { a: 1 })],
  ["an object of another realm", runInNewContext("({a: [1, 'b']})")],
  ["an instance of a class", new Step()],
  ["a date", new Date(0)],
  ["a date in a list of an object", { dates: [new Date(0)] }],
  ["a frozen object", Object.freeze({ a: Object.freeze([1]) })],
  ["the same object twice", { first: shared, then: [shared, shared, new Date(0)] }],
  ["-0 and the largest numbers", [-0, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53 + 2]],
  ["a surrogate pair", "\u{1f680}"],
  ["a proxy", new Proxy({ a: 1 }, {})],
  ["a getter", { get a() { return 1; } }],
  ["a key with a meaning of its own", JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')],
  ["a toJSON that is no function", { toJSON: 1 }],
  ["a toJSON that gives undefined", { a: { toJSON: () => undefined } }],
  ["a toJSON that gives an object with another", { toJSON: () => new (class { toJSON() { return 1n; } })() }],
  ["an instance of a list", new (class extends Array {})(1, 2, 3)],
]) {
  test(`${what} is accepted`, () => {
    assert.equal(carry(value).decision.status, "success");
  });
}

test("toJSON is honoured, inherited members are not", () => {
  const step = { toJSON: () => "publish" };
  assert.equal(engine.evaluate(envelope({ allowed_next_steps: [step] })).decision.next_step, "publish");
  const inherited = Object.create(envelope());
  assert.throws(() => engine.evaluate(inherited), { code: "missing_field", path: "/run_id" });
});

test("the checked value is the written value: everything is read once", () => {
  for (const later of [Number.NaN, new Map(), undefined, () => 1, "\ud800", "fix"]) {
    let reads = 0;
    const once = () => (reads++ === 0 ? "publish" : later);
    const fromGetter = (holder, key) => Object.defineProperty(holder, key, { enumerable: true, get: once });
    const handler = { get: (target, key) => (key === "0" || key === "step" ? once() : Reflect.get(target, key)) };
    for (const steps of [fromGetter(["old"], 0), new Proxy(["old"], handler), [{ toJSON: once }], { toJSON: () => [once()] }]) {
      reads = 0;
      assert.equal(engine.evaluate(envelope({ allowed_next_steps: steps })).decision.next_step, "publish");
      assert.equal(reads, 1);
    }
    for (const holder of [fromGetter({}, "step"), new Proxy({ step: "old" }, handler)]) {
      reads = 0;
      assert.equal(carry(holder).decision.status, "success");
      assert.equal(reads, 1);
    }
  }
});

test("an error of a value's own code is the cause of the error", () => {
  const stubborn = { toString: () => stubborn };
  const silent = [stubborn, Object.create(null), revoked({})];
  for (const thrown of [new Error("mine"), "mine", undefined, null, 7n, Symbol("mine"), ...silent]) {
    const fail = () => {
      throw thrown;
    };
    const getter = Object.defineProperty({}, "a", { enumerable: true, get: fail });
    for (const value of [getter, { a: { toJSON: fail } }, new Proxy({ a: 1 }, { get: fail })]) {
      assert.throws(() => carry(value), (error) => {
        assert.ok(error instanceof AdjudicateError);
        assert.equal(error.code, "invalid_value");
        assert.match(error.message, /^the value cannot be read: /);
        assert.ok("cause" in error && Object.is(error.cause, thrown));
        return true;
      });
    }
  }
  const nested = { a: { toJSON: () => engine.evaluate({}) } };
  assert.throws(() => carry(nested), { code: "invalid_value", path: "/x-carried/a" });
});

test("a BigInt with its own toJSON uses it", () => {
  BigInt.prototype.toJSON = function toJSON() {
    return this.toString();
  };
  try {
    assert.equal(engine.evaluate(envelope({ allowed_next_steps: [5n] })).decision.next_step, "5");
  } finally {
    delete BigInt.prototype.toJSON;
  }
});

test("the whole value is refused at the empty path", () => {
  for (const value of [undefined, () => 1, Number.NaN, 1n, new Map(), "\ud800"]) {
    assert.throws(() => engine.evaluate(value), { code: "invalid_value", path: "" });
  }
});

test("the engine judges depth, and a value beyond its limit is not written", () => {
  assert.equal(carry(nested(127)).decision.status, "success");
  for (const depth of [128, 250, 300, 100_000]) {
    assert.throws(() => carry(deep(depth)), { code: "limit_exceeded" }, `${depth}`);
  }
});

/** Returns nested lists, made without recursion. */
function deep(depth) {
  let value = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

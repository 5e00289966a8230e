/** What becomes of values on their way to JSON text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";

const { AdjudicateError, createEngineSync } = (await bothForms(install())).import.main;
const engine = createEngineSync();

/** Evaluates an envelope with the value where anything may be. */
function carry(value) {
  return engine.evaluate(envelope({ "x-carried": value }));
}

const cycle = { a: [] };
cycle.a.push(cycle);
const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const shared = { b: { c: 1 } };
class Step {
  constructor() {
    this.id = "publish";
  }
}

for (const [what, value, path] of [
  ["Map", new Map([["a", 1]]), ""],
  ["Set", new Set([1]), ""],
  ["WeakMap", new WeakMap(), ""],
  ["Map of another realm", runInNewContext("new Map()"), ""],
  ["RegExp", /a/, ""],
  ["Error", new Error("a"), ""],
  ["Promise", Promise.resolve(), ""],
  ["ArrayBuffer", new ArrayBuffer(1), ""],
  ["typed array", new Float64Array(1), ""],
  ["boxed number", new Number(Number.NaN), ""],
  ["boxed string", new String("a"), ""],
  ["NaN", Number.NaN, ""],
  ["Infinity", Number.POSITIVE_INFINITY, ""],
  ["-Infinity", Number.NEGATIVE_INFINITY, ""],
  ["BigInt", 1n, ""],
  ["symbol", Symbol("a"), ""],
  ["function", () => 1, ""],
  ["function as a member", { a: () => 1 }, "/a"],
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
  ["BigInt beside a date", [new Date(0), 1n], "/1"],
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
  ["undefined as a member", { a: undefined }],
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

test("the whole value is refused at the empty path", () => {
  for (const value of [undefined, () => 1, Number.NaN, 1n, new Map(), "\ud800"]) {
    assert.throws(() => engine.evaluate(value), { code: "invalid_value", path: "" });
  }
});

test("a policy is held to the same", () => {
  assert.throws(() => engine.evaluate(envelope(), { policy: { policy: "p", version: new Set() } }), {
    code: "invalid_value",
    path: "/version",
  });
  assert.throws(() => engine.policy(new Map()), { code: "invalid_value", path: "" });
});

test("depth is the engine's to judge, and what it would never read is not even written", () => {
  assert.equal(carry(nested(127)).decision.status, "success");
  for (const depth of [128, 250, 300, 100_000]) {
    assert.throws(() => carry(deep(depth)), { code: "limit_exceeded" }, `${depth}`);
  }
});

/** Lists in lists, made without recursion. */
function deep(depth) {
  let value = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

/** For any arguments, every function returns an answer or throws the error of the package. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { methodsOf } from "./support/operations.mjs";

const { AdjudicateError, createEngineSync } = (await bothForms(install())).import.main;

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const GARBAGE = [
  ...[undefined, null, true, 0, -1, Number.NaN, 1n, Symbol("a"), "", "{", "null", "\ud800", "\u0000", "[".repeat(1000), " ".repeat(100_000)],
  ...[{}, [], [[]], [envelope(), undefined], { policy: {} }, { envelope: null }, { envelope: envelope(), policy: {}, evaluation: {}, trace: 1 }],
  ...[envelope({ evidence: [] }), new Map(), new Date(0), () => "{}", new Uint8Array(100), Uint8Array.of(0x89, 0x50, 0x4e, 0x47), new Uint8Array(9 << 20)],
  ...[new Float64Array(4), new ArrayBuffer(8), revoked, { toJSON: () => ({ toJSON: 1 }) }, Object.create(null), globalThis, WebAssembly],
  { get policy() { throw new Error("mine"); } },
];

const engine = createEngineSync();
const policy = engine.policy(STRICT_POLICY);
const functions = Object.entries({ engine, policy }).flatMap(([owner, object]) => methodsOf(object).map((name) => [`${owner}.${String(name)}`, (...given) => object[name](...given)]))
  .filter(([name]) => !/free|dispose/.test(name));

for (const [name, call] of functions) {
  test(`${name} survives garbage`, () => {
    let refused = 0;
    for (const first of GARBAGE) {
      for (const given of [[first], [first, first], [envelope(), first], [JSON.stringify(envelope()), first], ["evaluate", first]]) {
        try {
          call(...given);
        } catch (error) {
          assert.ok(error instanceof AdjudicateError, `${name}: ${error?.stack}`);
          assert.notEqual(error.code, "trap");
          refused++;
        }
      }
    }
    assert.ok(refused > GARBAGE.length, `${refused}`);
    assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
  });
}

test("there are functions to try", () => {
  assert.ok(functions.length > 20, functions.map(([name]) => name).join(" "));
});

/** The operations on plans in each form. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { PLAN_CALLS, methodOf } from "./support/plan.mjs";

const cycle = { a: [] };
cycle.a.push(cycle);

const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));

for (const [form, { main }] of Object.entries(await bothForms(install()))) {
  const { AdjudicateError, createEngineSync } = main;
  const engine = createEngineSync();

  /** The answer, or the error as it is printed. */
  const answerOf = (ask) => {
    try {
      return ask();
    } catch (error) {
      assert.ok(error instanceof AdjudicateError, String(error));
      return error.toJSON();
    }
  };

  for (const [operation, call] of Object.entries(PLAN_CALLS)) {
    const method = methodOf(operation);

    test(`${method}: all ways to ask have one answer (${form})`, () => {
      const text = JSON.stringify(call);
      const answer = engine[`${method}Text`](text);
      assert.equal(engine[`${method}Text`](new TextEncoder().encode(text)), answer);
      assert.equal(engine.callText(operation, text), answer);
      assert.deepEqual(engine[method](call), JSON.parse(answer));
      assert.deepEqual(engine.call(operation, call), JSON.parse(answer));
    });

    test(`${method}: an error is at its place in the call (${form})`, () => {
      for (const [given, code, path] of [
        // A call without required fields may be empty.
        ...(answerOf(() => engine.call(operation, {})).error === undefined ? [] : [[{}, "missing_field", /^\/\w+$/]]),
        [[], "invalid_value", /^$/],
        [{ ...call, poilcy: {} }, "unknown_field", /^\/poilcy$/],
        [{ ...call, [Object.keys(call)[0]]: null }, "invalid_value", /^\/\w+$/],
        [{ ...call, "x-more": new Map() }, "invalid_value", /^\/x-more$/],
        [{ ...call, "x-more": [1n] }, "invalid_value", /^\/x-more\/0$/],
        [{ ...call, "x-more": cycle }, "invalid_value", /^\/x-more\/a\/0$/],
        [{ ...call, "x-more": "a".repeat(8 << 20) }, "limit_exceeded", /^$/],
        [{ ...call, "x-more": nested(200) }, "limit_exceeded", /^(\/x-more.*)?$/],
        [undefined, "invalid_value", /^$/],
        [new Set([call]), "invalid_value", /^$/],
        [engine.policy(STRICT_POLICY), "unknown_field", /^\/name$/],
      ]) {
        const { error } = answerOf(() => engine[method](given));
        assert.deepEqual([error.code, path.test(error.path)], [code, true], `${error.path}: ${error.message}`);
      }
      for (const [given, code] of [
        ["", "malformed_json"],
        ["{", "malformed_json"],
        ["\ud800", "malformed_json"],
        ['{"x-a":1,"x-a":1}', "duplicate_key"],
        ["[".repeat(200), "limit_exceeded"],
        [" ".repeat((8 << 20) + 1), "limit_exceeded"],
        [call, "wrong_usage"],
      ]) {
        assert.equal(answerOf(() => engine[`${method}Text`](given)).error?.code, code);
      }
    });
  }

  test(`parsed policies do not change plans, and stay usable (${form})`, () => {
    const policy = engine.policy(STRICT_POLICY);
    const before = policy.evaluateText(JSON.stringify(envelope()));
    for (const [operation, call] of Object.entries(PLAN_CALLS)) {
      assert.equal(policy[methodOf(operation)], undefined);
      engine[methodOf(operation)](call);
      assert.throws(() => engine[methodOf(operation)]([]), AdjudicateError);
      assert.equal(policy.evaluateText(JSON.stringify(envelope())), before);
    }
    policy.free();
  });
}

/** The operations on plans in each of their forms, on the corpus and on a plan that is mended. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { corpusOf } from "./support/corpus.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { CALLS, GUARDED, MERGED, OBSERVED, OUTPUT, REVIEWED, TONE, UNREVIEWED, methodOf } from "./support/plan.mjs";

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

  for (const [operation, call] of Object.entries(CALLS)) {
    const method = methodOf(operation);

    test(`${method}: all ways to ask have one answer (${form})`, () => {
      const text = JSON.stringify(call);
      const answer = engine[`${method}Text`](text);
      assert.equal(engine[`${method}Text`](new TextEncoder().encode(text)), answer);
      assert.equal(engine.callText(operation, text), answer);
      assert.deepEqual(engine[method](call), JSON.parse(answer));
      assert.deepEqual(engine.call(operation, call), JSON.parse(answer));
    });

    test(`${method}: values have the answers and errors of the corpus (${form})`, () => {
      const cases = corpusOf(operation);
      assert.ok(cases.length > 10, `${cases.length}`);
      for (const { name, text, call, answer } of cases) {
        assert.deepEqual(answerOf(() => JSON.parse(engine[`${method}Text`](text))), answer, name);
        // What is wrong with a text is not wrong with the value, if there is one.
        if (["malformed_json", "duplicate_key"].includes(answer.error?.code)) continue;
        // Nor has it more digits than a number of JavaScript holds.
        if (/\d{16}/.test(text)) continue;
        assert.deepEqual(answerOf(() => engine[method](call)), answer, name);
      }
    });

    test(`${method}: an error is at its place in the call (${form})`, () => {
      for (const [given, code, path] of [
        [{}, "missing_field", /^\/\w+$/],
        [[], "invalid_value", /^$/],
        [{ ...call, poilcy: {} }, "unknown_field", /^\/poilcy$/],
        [{ ...call, [Object.keys(call)[0]]: null }, "invalid_value", /^\/\w+$/],
        [{ ...call, "x-more": new Map() }, "invalid_value", /^\/x-more$/],
        [{ ...call, "x-more": [1n] }, "invalid_value", /^\/x-more\/0$/],
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

  test(`a plan is rejected, mended as is suggested, and accepted (${form})`, () => {
    const rejected = engine.validatePlan(UNREVIEWED);
    assert.equal(rejected.event, "plan_rejected");
    const [{ constraintId, details, suggestion }] = rejected.payload.failures;
    assert.deepEqual([constraintId, details.code], ["min_qa", "missing_producer"]);
    assert.match(suggestion, /Reviewer/);
    const { event, payload } = engine.validatePlan(REVIEWED);
    assert.deepEqual([event, payload.status, payload.satisfactionScore], ["plan_generated", "accepted", 1]);
    assert.deepEqual(payload.nodes.map(({ enforces }) => enforces), [[], ["min_qa"], []]);
  });

  test(`what is said of the plan, of its output and by others is one bundle (${form})`, () => {
    const { warnings } = engine.mergeDiagnostics(MERGED);
    assert.deepEqual(warnings, [{ ...TONE, suggestion: "ask less\nbe warmer" }]);
    const observed = engine.observeOutput(OBSERVED);
    assert.deepEqual([observed.status, observed.observedSatisfaction], ["rejected", 0]);
    const planned = engine.validatePlan(UNREVIEWED).payload;
    const diagnostics = [planned, observed].flatMap(({ failures }) => failures).concat(TONE);
    const bundle = engine.mergeDiagnostics({ diagnostics });
    assert.deepEqual(engine.mergeDiagnostics({ diagnostics: diagnostics.toReversed() }), bundle);
    assert.deepEqual([bundle.failures.length, bundle.warnings.length], [2, 1]);
  });

  test(`a guardrail retries as often as it may, and then asks a person (${form})`, () => {
    const after = (again) => engine.applyGuardrails({ ...GUARDED, state: { retries: { again } } }).actions;
    assert.deepEqual(after(0), [{ policyId: "again", action: { type: "retry", maxAttempts: 1 }, terminal: false }]);
    const [{ action, terminal, reason }] = after(1);
    assert.deepEqual([action.type, terminal, reason], ["hitl", true, "retries_exhausted"]);
    assert.deepEqual(engine.applyGuardrails({ ...GUARDED, event: { kind: "manual", output: OUTPUT } }).actions, []);
  });

  test(`parsed policies have no say in it, and lose none (${form})`, () => {
    const policy = engine.policy(STRICT_POLICY);
    const before = policy.evaluateText(JSON.stringify(envelope()));
    for (const [operation, call] of Object.entries(CALLS)) {
      assert.equal(policy[methodOf(operation)], undefined);
      engine[methodOf(operation)](call);
      assert.throws(() => engine[methodOf(operation)]({}), AdjudicateError);
      assert.equal(policy.evaluateText(JSON.stringify(envelope())), before);
    }
    policy.free();
  });
}

/** The operations on plans in each form, on the corpus and on a plan that is fixed step by step. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { corpusOf } from "./support/corpus.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { PLAN_CALLS, GUARDED, MERGED, OBSERVED, OUTPUT, REVIEWED, TONE, UNREVIEWED, methodOf } from "./support/plan.mjs";

const cycle = { a: [] };
cycle.a.push(cycle);

const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));

/** Calls that try to use unlimited time or memory. */
const HOSTILE = [
  ["a schema that is itself", observing({ $ref: "#" }, 1)],
  ["schemas that double", observing(doubling(100), 1)],
  ["a schema in a schema in a schema", observing(wrapped(50, { type: "string" }, (inner) => ({ allOf: [inner] })), 1)],
  ["a pattern that doubles", observing({ pattern: "^(a+)+$" }, `${"a".repeat(100_000)}b`)],
  ["a long pattern", observing({ pattern: "(a|b)*".repeat(100_000) }, "ab")],
  ["ten thousand violations", observing({ items: { type: "string" } }, new Array(10_000).fill(0))],
  ["ten thousand nodes in a row", planning(10_000, (at) => [{ from: `n${at}`, to: `n${at + 1}` }])],
  ["parallel edges", planning(2, () => new Array(100_000).fill({ from: "n0", to: "n1" }))],
  ["a circle of all", planning(10_000, (at) => [{ from: `n${at}`, to: `n${(at + 1) % 10_000}` }])],
  ["many diagnostics", ["merge_diagnostics", { diagnostics: new Array(50_000).fill(TONE) }]],
  ["many guardrails", ["apply_guardrails", { ...GUARDED, policies: guardrails(10_000) }]],
  ["a deep condition", ["apply_guardrails", { ...GUARDED, policies: guardrails(1, wrapped(120, true, (inner) => ({ "!": inner }))) }]],
];

function observing(schema, output) {
  return ["observe_output", { outputContract: { schema }, output }];
}

function wrapped(times, inner, wrap) {
  return times === 0 ? inner : wrapped(times - 1, wrap(inner), wrap);
}

function doubling(levels) {
  const $defs = { d0: { type: "string" } };
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { $defs, $ref: `#/$defs/d${levels}` };
}

function planning(count, edgesFrom) {
  const places = Array.from({ length: count }, (_, at) => at);
  const nodes = places.map((at) => ({ nodeId: `n${at}`, capabilityId: "Writer" }));
  return ["validate_plan", { ...UNREVIEWED, plan: { nodes, edges: places.slice(1).flatMap((at) => edgesFrom(at - 1)) } }];
}

function guardrails(count, condition = true) {
  const [policy] = GUARDED.policies;
  return Array.from({ length: count }, (_, at) => ({ ...policy, id: `p${at}`, condition }));
}

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

    test(`${method}: values have the answers and errors of the corpus (${form})`, () => {
      const cases = corpusOf(operation);
      assert.ok(cases.length > 10, `${cases.length}`);
      for (const { name, text, call, answer } of cases) {
        assert.deepEqual(answerOf(() => JSON.parse(engine[`${method}Text`](text))), answer, name);
        // Errors of the text do not apply to values.
        if (["malformed_json", "duplicate_key"].includes(answer.error?.code)) continue;
        // Nor are its numbers others than those that JavaScript writes.
        if (/\d{16}|\d\.0\b|-0\b/.test(text)) continue;
        assert.deepEqual(answerOf(() => engine[method](call)), answer, name);
      }
    });

    test(`${method}: an error is at its place in the call (${form})`, () => {
      for (const [given, code, path] of [
        // A ledger may be empty.
        ...(operation === "deliberate" ? [] : [[{}, "missing_field", /^\/\w+$/]]),
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

  test(`hostile calls are answered or refused, and the engine answers the next call (${form})`, () => {
    for (const [what, [operation, call]] of HOSTILE) {
      const { error } = answerOf(() => engine.call(operation, call));
      assert.ok(error === undefined || error.code === "limit_exceeded" || error.code === "malformed_json", `${what}: ${error?.message}`);
    }
    assert.equal(engine.evaluate(envelope()).decision.status, "success");
  });

  test(`a plan is rejected, fixed by the suggestions, and accepted (${form})`, () => {
    const rejected = engine.validatePlan(UNREVIEWED);
    assert.equal(rejected.event, "plan_rejected");
    const [{ constraintId, details, suggestion }] = rejected.payload.failures;
    assert.deepEqual([constraintId, details.code], ["min_qa", "missing_producer"]);
    assert.match(suggestion, /Reviewer/);
    const { event, payload } = engine.validatePlan(REVIEWED);
    assert.deepEqual([event, payload.status, payload.satisfactionScore], ["plan_generated", "accepted", 1]);
    assert.deepEqual(payload.nodes.map(({ enforces }) => enforces), [[], ["min_qa"], []]);
  });

  test(`diagnostics of the plan, of its output and of others are one bundle (${form})`, () => {
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

  test(`a guardrail retries up to its limit, and then asks a human (${form})`, () => {
    const after = (again) => engine.applyGuardrails({ ...GUARDED, state: { retries: { again } } }).actions;
    assert.deepEqual(after(0), [{ policyId: "again", action: { type: "retry", maxAttempts: 1 }, terminal: false }]);
    const [{ action, terminal, reason }] = after(1);
    assert.deepEqual([action.type, terminal, reason], ["hitl", true, "retries_exhausted"]);
    assert.deepEqual(engine.applyGuardrails({ ...GUARDED, event: { kind: "manual", output: OUTPUT } }).actions, []);
  });

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

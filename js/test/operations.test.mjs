/** The operations under policies in each form: of an engine and of a parsed policy, values and text, separate documents and one call. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { FAILING, RULED_POLICY, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";

const text = JSON.stringify;

for (const [form, { main }] of Object.entries(await bothForms(install()))) {
  const { AdjudicateError, createEngineSync } = main;
  const [engine, other] = [createEngineSync(), createEngineSync()];

  /** Asserts that all forms have the same answer, and returns it. */
  const same = (ways) => {
    const [first, ...others] = ways.map((way) => way());
    for (const answer of others) assert.equal(asText(answer), asText(first));
    return typeof first === "string" ? JSON.parse(first) : first;
  };

  for (const [what, subject, policy] of [["a good step", envelope(), STRICT_POLICY], ["a failing step", FAILING, RULED_POLICY]]) {
    const [parsed, theirs] = [engine.policy(policy), other.policy(policy)];
    const [json, policyJson] = [text(subject), text(policy)];

    const evaluation = engine.evaluate(subject, { policy });

    /** Each operation on envelopes, with lists of its options other than the policy. */
    for (const [operation, lists] of Object.entries({ evaluate: [undefined], facts: [undefined], refine: [undefined, { evaluation }], explain: [undefined, { trace: false }, { trace: true }] })) {
      test(`${operation}: ${what} (${form})`, () => {
        const answers = lists.map((options) => {
          const texts = options?.evaluation === undefined ? options : { evaluation: text(evaluation) };
          const method = `${operation}Text`;
          return same([
            () => engine[operation](subject, { policy, ...options }),
            () => engine[operation](subject, { policy: parsed, ...options }),
            () => engine[operation](subject, { policy: theirs, ...options }),
            () => engine[method](json, { policy: policyJson, ...texts }),
            () => engine[method](json, { policy: parsed, ...texts }),
            () => engine[method](json, { policy: theirs, ...texts }),
            () => engine.call(operation, { envelope: subject, policy, ...options }),
            () => engine.callText(operation, text({ envelope: subject, policy, ...options })),
            () => parsed[operation](subject, options),
            () => parsed[method](json, texts),
          ]);
        });
        if (operation === "explain") assert.deepEqual(answers.map((answer) => "trace" in answer), [false, false, true]);
      });
    }

    test(`checks and batches: ${what} (${form})`, () => {
      same([
        () => engine.checkPolicy(policy),
        () => engine.checkPolicyText(policyJson),
        () => engine.call("check_policy", { policy }),
        () => parsed.check(),
        () => parsed.checkText(),
      ]);
      same([
        () => evaluation,
        () => engine.evaluate({ envelope: subject, policy }),
        () => engine.evaluateBatch([subject], { policy })[0].ok,
        () => engine.evaluateBatch([subject], { policy: theirs })[0].ok,
        () => parsed.evaluateBatch([subject])[0].ok,
        () => engine.evaluateBatchText(json, { policy: policyJson }).trimEnd(),
        () => engine.evaluateBatchText(json, { policy: parsed }).trimEnd(),
        () => parsed.evaluateBatchText(json).trimEnd(),
      ]);
      const unlike = { evaluation: { ...evaluation, policy: null } };
      assert.throws(() => engine.refine(subject, { policy, ...unlike }), { code: "invalid_value", path: "/policy" });
      assert.throws(() => parsed.refine(subject, unlike), { code: "invalid_value", path: "/policy" });
    });
  }

  test(`a parsed policy returns its label (${form})`, () => {
    const policy = engine.policy(RULED_POLICY);
    assert.deepEqual([policy.name, policy.version], ["ruled", "1.0.0"]);
    assert.match(policy.digest, /^sha256:[0-9a-f]{64}$/);
    assert.notEqual(engine.policy({ ...RULED_POLICY, version: "1.0.1" }).digest, policy.digest);
    assert.deepEqual(policy.rules, [
      { id: "large_change", status: "needs_human", severity: "medium", flag: "large_change", blocker: null, summary: "many files changed", mode: "enforce" },
    ]);
  });

  test(`errors are about the document at fault (${form})`, () => {
    const parsed = engine.policy(STRICT_POLICY);
    for (const [run, code, path, message] of [
      [() => engine.refine({}), "missing_field", "/run_id", /^envelope: /],
      [() => engine.refine({ envelope: envelope() }), "unknown_field", "/envelope", /^envelope: /],
      [() => engine.refine(envelope(), { policy: {} }), "missing_field", "/policy", /^policy: /],
      [() => engine.refine(envelope(), { evaluation: {} }), "missing_field", "/decision", /^evaluation: /],
      [() => engine.refine(envelope(), { evaluation: { a: Number.NaN } }), "invalid_value", "/a", /^evaluation: /],
      [() => engine.refineText("{", {}), "malformed_json", "", /^envelope: /],
      [() => engine.refineText(text(envelope()), { evaluation: "null" }), "invalid_value", "", /^evaluation: /],
      [() => engine.refineText(text(envelope()), { evaluation: "\ud800" }), "malformed_json", "", /^evaluation: /],
      [() => engine.explain({}), "missing_field", "/run_id", /./],
      [() => engine.explain(envelope(), { policy: { policy: "p" } }), "missing_field", "/version", /^policy: /],
      [() => engine.checkPolicy({ policy: "p" }), "missing_field", "/version", /^policy: /],
      [() => engine.checkPolicy(undefined), "invalid_value", "", /^policy: /],
      [() => engine.checkPolicyText("null"), "invalid_value", "", /^policy: /],
      [() => engine.call("check_policy", {}), "missing_field", "/policy", /./],
      [() => engine.policy(new Map()), "invalid_value", "", /./],
      [() => engine.policyText("null"), "invalid_value", "", /./],
      [() => engine.evaluate(envelope(), { policy: { toJSON: () => null } }), "invalid_value", "", /^policy: /],
      [() => engine.evaluate(envelope(), { policy: { policy: "p", version: new Set() } }), "invalid_value", "/version", /^policy: /],
      [() => engine.evaluateText(text(envelope()), { policy: new TextEncoder().encode(" null\n") }), "invalid_value", "", /^policy: /],
      [() => engine.evaluateText(text(envelope()), { policy: "{" }), "malformed_json", "", /^policy: /],
      [() => engine.evaluateText(text(envelope()), { policy: "\ud800" }), "malformed_json", "", /^policy: /],
      [() => engine.evaluateText(text(envelope()), { policy: STRICT_POLICY }), "wrong_usage", "", /^policy: /],
      [() => engine.evaluateText(text(envelope()), { policy: " ".repeat((8 << 20) + 1) }), "limit_exceeded", "", /^policy: /],
      // One error of a whole batch.
      [() => engine.evaluateBatch([envelope()], { policy: { policy: "p", version: "1.0.0", rules: [{}] } }), "missing_field", "/rules/0/id", /^policy: /],
      [() => engine.evaluateBatchText("", { policy: "{" }), "malformed_json", "", /^policy: /],
      [() => engine.evaluateBatchText("", { policy: "null" }), "invalid_value", "", /./],
      [() => engine.call("refine", envelope()), "unknown_field", "/run_id", /./],
      [() => parsed.refine({}), "missing_field", "/run_id", /^envelope: /],
      [() => parsed.evaluate({ envelope: envelope(), policy: RULED_POLICY }), "invalid_value", "/policy", /./],
    ]) {
      assert.throws(run, (error) => {
        assert.ok(error instanceof AdjudicateError, String(error));
        assert.deepEqual([error.code, error.path], [code, path], error.message);
        assert.match(error.message, message);
        return true;
      });
    }
  });

  test(`a policy that was freed answers nothing (${form})`, () => {
    for (const owner of [engine, other]) {
      const policy = owner.policy(STRICT_POLICY);
      policy.free();
      policy[Symbol.dispose]();
      for (const use of [
        () => policy.evaluate(envelope()),
        () => policy.evaluateBatch([]),
        () => policy.evaluateBatchText(""),
        () => policy.refine(envelope()),
        () => policy.explainText(text(envelope())),
        () => policy.check(),
        () => policy.checkText(),
        () => engine.evaluate(envelope(), { policy }),
        () => engine.evaluateText(text(envelope()), { policy }),
        () => engine.evaluateBatch([envelope()], { policy }),
        () => engine.evaluateBatchText("", { policy }),
        () => engine.compose(envelope(), { policy }),
      ]) {
        assert.throws(use, { code: "wrong_usage", message: /the policy has been freed$/ });
      }
      assert.equal(policy.name, "strict");
    }
  });

  test(`an object that inherits from a parsed policy is none (${form})`, () => {
    const policy = Object.create(engine.policy(STRICT_POLICY));
    assert.throws(() => engine.evaluate(envelope(), { policy }), AdjudicateError);
    assert.throws(() => engine.evaluateBatch([envelope()], { policy }), AdjudicateError);
  });
}

function asText(answer) {
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

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

  for (const [what, subject, policy] of [
    ["a good step", envelope(), STRICT_POLICY],
    ["a failing step", FAILING, RULED_POLICY],
  ]) {
    const [parsed, theirs] = [engine.policy(policy), other.policy(policy)];
    const [json, policyJson] = [text(subject), text(policy)];

    test(`refine: ${what} (${form})`, () => {
      const evaluation = engine.evaluate(subject, { policy });
      const { status_patch, next } = same([
        () => engine.refine(subject, { policy }),
        () => engine.refine(subject, { policy, evaluation }),
        () => engine.refine(subject, { policy: parsed, evaluation }),
        () => engine.refine(subject, { policy: theirs }),
        () => engine.refineText(json, { policy: policyJson }),
        () => engine.refineText(json, { policy: theirs, evaluation: text(evaluation) }),
        () => engine.refineText(json, { policy: policyJson, evaluation: text(evaluation) }),
        () => engine.call("refine", { envelope: subject, policy, evaluation }),
        () => engine.callText("refine", text({ envelope: subject, policy })),
        () => parsed.refine(subject),
        () => parsed.refine(subject, { evaluation }),
        () => parsed.refineText(json),
        () => parsed.refineText(json, { evaluation: text(evaluation) }),
      ]);
      assert.equal(status_patch.last_decision_status, evaluation.decision.status);
      assert.equal(next.history_entry.status, evaluation.decision.status);
      const unlike = { ...evaluation, policy: null };
      for (const refine of [engine.refine, parsed.refine]) {
        const owner = refine === engine.refine ? engine : parsed;
        const options = owner === engine ? { policy, evaluation: unlike } : { evaluation: unlike };
        assert.throws(() => refine.call(owner, subject, options), { code: "invalid_value", path: "/policy" });
      }
    });

    test(`facts: ${what} (${form})`, () => {
      const { variables } = same([
        () => engine.facts(subject, { policy }),
        () => engine.facts(subject, { policy: parsed }),
        () => engine.factsText(json, { policy: theirs }),
        () => engine.factsText(json, { policy: policyJson }),
        () => engine.call("facts", { envelope: subject, policy }),
        () => engine.callText("facts", text({ envelope: subject, policy })),
        () => parsed.facts(subject),
        () => parsed.factsText(json),
      ]);
      assert.equal(variables.find(({ variable }) => variable === "facts.outcome").state, "known");
    });

    test(`explain: ${what} (${form})`, () => {
      for (const trace of [undefined, false, true]) {
        const options = trace === undefined ? {} : { trace };
        const explanation = same([
          () => engine.explain(subject, { policy, ...options }),
          () => engine.explain(subject, { policy: theirs, ...options }),
          () => engine.explainText(json, { policy: parsed, ...options }),
          () => engine.explainText(json, { policy: policyJson, ...options }),
          () => engine.call("explain", { envelope: subject, policy, ...options }),
          () => engine.callText("explain", text({ envelope: subject, policy, ...options })),
          () => parsed.explain(subject, options),
          () => parsed.explainText(json, options),
        ]);
        assert.deepEqual(explanation.evaluation, engine.evaluate(subject, { policy }));
        assert.equal(explanation.reasons.length, explanation.evaluation.findings.length);
        assert.equal("trace" in explanation, trace === true);
      }
    });

    test(`check: ${what} (${form})`, () => {
      const { findings } = same([
        () => engine.checkPolicy(policy),
        () => engine.checkPolicyText(policyJson),
        () => engine.call("check_policy", { policy }),
        () => engine.callText("check_policy", text({ policy })),
        () => parsed.check(),
        () => parsed.checkText(),
      ]);
      assert.ok(Array.isArray(findings));
    });

    test(`evaluate: ${what} (${form})`, () => {
      same([
        () => engine.evaluate(subject, { policy }),
        () => engine.evaluate(subject, { policy: parsed }),
        () => engine.evaluate(subject, { policy: theirs }),
        () => engine.evaluateText(json, { policy: policyJson }),
        () => engine.evaluateText(json, { policy: parsed }),
        () => engine.evaluate({ envelope: subject, policy }),
        () => engine.call("evaluate", { envelope: subject, policy }),
        () => engine.callText("evaluate", text({ envelope: subject, policy })),
        () => parsed.evaluate(subject),
        () => parsed.evaluateText(json),
        () => engine.evaluateBatch([subject], { policy })[0].ok,
        () => engine.evaluateBatch([subject], { policy: theirs })[0].ok,
        () => parsed.evaluateBatch([subject])[0].ok,
        () => engine.evaluateBatchText(json, { policy: policyJson }).trimEnd(),
        () => engine.evaluateBatchText(json, { policy: parsed }).trimEnd(),
        () => parsed.evaluateBatchText(json).trimEnd(),
      ]);
    });
  }

  test(`without a policy, too (${form})`, () => {
    const json = text(FAILING);
    same([() => engine.refine(FAILING), () => engine.refineText(json), () => engine.refine(FAILING, { policy: null })]);
    same([
      () => engine.explain(FAILING),
      () => engine.explainText(json),
      () => engine.explain({ envelope: FAILING }),
      () => engine.call("explain", FAILING),
    ]);
  });

  test(`a parsed policy returns its label (${form})`, () => {
    const policy = engine.policy(RULED_POLICY);
    assert.deepEqual([policy.name, policy.version], ["ruled", "1.0.0"]);
    assert.match(policy.digest, /^sha256:[0-9a-f]{64}$/);
    assert.notEqual(engine.policy({ ...RULED_POLICY, version: "1.0.1" }).digest, policy.digest);
    assert.deepEqual(policy.rules, [
      {
        id: "large_change",
        status: "needs_human",
        severity: "medium",
        flag: "large_change",
        blocker: null,
        summary: "many files changed",
        mode: "enforce",
      },
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

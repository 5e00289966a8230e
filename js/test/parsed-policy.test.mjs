/** A parsed policy in the option `policy`: every method takes it, and decides as with its document. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { FAILING, RULED_POLICY, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { module } from "./support/wasm.mjs";

const forms = await bothForms(install());
const json = JSON.stringify;

for (const [form, { main }] of Object.entries(forms)) {
  const engine = main.createEngineSync();
  const other = main.createEngineSync();

  test(`every method decides as with the document (${form})`, () => {
    for (const document of [STRICT_POLICY, RULED_POLICY]) {
      for (const policy of [engine.policy(document), other.policy(document)]) {
        for (const subject of [envelope(), FAILING]) {
          for (const method of ["evaluate", "refine", "explain", "facts"]) {
            assert.deepEqual(engine[method](subject, { policy }), engine[method](subject, { policy: document }), method);
            const text = `${method}Text`;
            assert.equal(engine[text](json(subject), { policy }), engine[text](json(subject), { policy: json(document) }), text);
          }
          const evaluation = engine.evaluate(subject, { policy });
          assert.deepEqual(engine.refine(subject, { policy, evaluation }), engine.refine(subject, { policy: document, evaluation }));
          assert.deepEqual(engine.explain(subject, { policy, trace: true }), engine.explain(subject, { policy: document, trace: true }));
        }
        const envelopes = [envelope(), FAILING, {}];
        const lines = envelopes.map(json).join("\n");
        assert.deepEqual(json(engine.evaluateBatch(envelopes, { policy })), json(engine.evaluateBatch(envelopes, { policy: document })));
        assert.equal(engine.evaluateBatchText(lines, { policy }), engine.evaluateBatchText(lines, { policy: json(document) }));
        // A call does not free the policy.
        assert.equal(policy.evaluate(envelope()).decision.status, engine.evaluate(envelope(), { policy: document }).decision.status);
      }
    }
    assert.notEqual(json(engine.evaluate(FAILING, { policy: engine.policy(STRICT_POLICY) })), json(engine.evaluate(FAILING)));
  });

  test(`a module gets the document of a parsed policy (${form})`, async () => {
    const loaded = await main.loadModule(module({ reply: `{"ok":${engine.evaluateText(json(FAILING))}}` }));
    const policy = engine.policy(STRICT_POLICY);
    const outcome = (given) => {
      try {
        return json(loaded.evaluate(FAILING, { policy: given }));
      } catch (error) {
        return `${error.code} ${error.message}`;
      }
    };
    assert.equal(outcome(policy), outcome(STRICT_POLICY));
  });

  test(`a freed policy decides nothing (${form})`, () => {
    for (const from of [engine, other]) {
      const policy = from.policy(STRICT_POLICY);
      policy.free();
      for (const run of [
        () => engine.evaluate(envelope(), { policy }),
        () => engine.evaluateText(json(envelope()), { policy }),
        () => engine.facts(envelope(), { policy }),
        () => engine.evaluateBatch([envelope()], { policy }),
        () => engine.evaluateBatchText(json(envelope()), { policy }),
        () => engine.compose(envelope(), { policy }),
      ]) {
        assert.throws(run, { code: "wrong_usage", message: /the policy has been freed/ });
      }
    }
  });

  test(`an object that inherits from a parsed policy is none (${form})`, () => {
    const policy = Object.create(engine.policy(STRICT_POLICY));
    assert.throws(() => engine.evaluate(envelope(), { policy }), { name: "AdjudicateError" });
    assert.throws(() => engine.evaluateBatch([envelope()], { policy }), { name: "AdjudicateError" });
  });
}

/** The engine in the installed package: imported and required, asynchronous and synchronous. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import operations from "../../tests/schemas/operations.json" with { type: "json" };
import { NUMBERS } from "./support/abi.mjs";
import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile, root } from "./support/installed.mjs";

const folder = install();
const forms = await bothForms(folder);

for (const [form, { main }] of Object.entries(forms)) {
  const { AdjudicateError, createEngine, createEngineSync } = main;

  for (const engine of [await createEngine(), createEngineSync()]) {
    test(`a value in, a value out (${form})`, () => {
      const { decision, findings, loop, policy } = engine.evaluate(envelope());
      assert.equal(decision.status, "success");
      assert.equal(decision.next_step, "publish");
      assert.deepEqual([decision.fix_instructions, decision.blockers, decision.risk_flags], [null, [], []]);
      assert.deepEqual(findings, []);
      assert.equal(loop.escalation, null);
      assert.equal(policy, null);
    });

    test(`text in, text out, as string or as bytes (${form})`, () => {
      const text = JSON.stringify(envelope(), undefined, 2);
      const answer = engine.evaluateText(text);
      assert.ok(answer.startsWith('{"decision":{"status":"success","next_step":"publish"'), answer);
      assert.equal(engine.evaluateText(new TextEncoder().encode(text)), answer);
      assert.equal(engine.evaluateText(Buffer.from(text)), answer);
      assert.deepEqual(engine.evaluate(envelope()), JSON.parse(answer));
    });

    test(`each operation has its methods (${form})`, () => {
      const policy = engine.policy(STRICT_POLICY);
      for (const name of Object.keys(NUMBERS)) {
        const method = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
        const owners = operations[name].policy ? [[engine, method], [policy, name === "check_policy" ? "check" : method]] : [[engine, method]];
        for (const [owner, own] of owners) {
          assert.deepEqual([typeof owner[own], typeof owner[`${own}Text`]], ["function", "function"], own);
        }
      }
      policy.free();
    });

    test(`a policy in the options, or in the call (${form})`, () => {
      const evaluation = engine.evaluate(envelope(), { policy: STRICT_POLICY });
      assert.equal(evaluation.decision.status, "unsafe");
      assert.deepEqual(evaluation.policy, { name: "strict", version: "1.0.0" });
      assert.deepEqual(engine.evaluate({ envelope: envelope(), policy: STRICT_POLICY }), evaluation);
      const [input, policy] = [JSON.stringify(envelope()), JSON.stringify(STRICT_POLICY)];
      assert.deepEqual(JSON.parse(engine.evaluateText(input, { policy })), evaluation);
      assert.equal(engine.evaluateText(input, { policy: null }), engine.evaluateText(input));
      assert.equal(engine.evaluateText(input, {}), engine.evaluateText(input));
    });

    test(`text beyond ASCII survives (${form})`, () => {
      const step = "veröffentlichen 🚀 \u2028 \u0000";
      const { decision } = engine.evaluate(envelope({ allowed_next_steps: [step] }));
      assert.equal(decision.next_step, step);
    });

    test(`errors have a code, a message and a path (${form})`, () => {
      for (const [input, code, path] of [
        ["", "malformed_json", ""],
        ["{", "malformed_json", ""],
        ["NaN", "malformed_json", ""],
        ["[".repeat(100_000), "limit_exceeded", ""],
        ['{"run_id":"r","run_id":"r"}', "duplicate_key", "/run_id"],
        ['{"run_id":1}', "invalid_value", "/run_id"],
        ['{"runid":1}', "unknown_field", "/runid"],
        ["{}", "missing_field", "/run_id"],
        [Uint8Array.of(0x89, 0x50, 0x4e, 0x47), "malformed_json", ""],
        [new Uint8Array(100_000), "malformed_json", ""],
        [new Uint8Array(9 << 20), "limit_exceeded", ""],
        ["\ud800", "malformed_json", ""],
        ["\ufeff{}", "malformed_json", ""],
      ]) {
        const error = thrownBy(() => engine.evaluateText(input));
        assert.ok(error instanceof AdjudicateError && error instanceof Error);
        assert.equal(error.code, code, error.message);
        if (code !== "limit_exceeded") assert.equal(error.path, path, error.message);
        assert.equal(error.name, "AdjudicateError");
        assert.notEqual(error.message, "");
        const { message, others } = error;
        const shown = { code, message, path: error.path, ...(others.length > 0 && { others }) };
        assert.equal(JSON.stringify(error), JSON.stringify({ error: shown }));
      }
    });

    test(`one error lists the others of the call (${form})`, () => {
      const error = thrownBy(() => engine.evaluateText('{"run_id":1,"workflow":"w","step_id":2}'));
      assert.deepEqual(
        [error.path, ...error.others.map(({ path }) => path)].slice(0, 4),
        ["/run_id", "/workflow", "/step_id", "/workflow_id"],
      );
      assert.equal(JSON.parse(JSON.stringify(error)).error.others.length, error.others.length);
    });

    test(`a value that is not text is wrong usage (${form})`, () => {
      for (const input of [undefined, null, 1, {}, [], new ArrayBuffer(2), new Uint16Array(2), new DataView(new ArrayBuffer(2))]) {
        assert.equal(thrownBy(() => engine.evaluateText(input)).code, "wrong_usage");
        if (input != null) assert.equal(thrownBy(() => engine.evaluateText("{}", { policy: input })).code, "wrong_usage");
      }
    });

    test(`the engine returns its version (${form})`, () => {
      const { version } = JSON.parse(readFileSync(installedFile(folder, "package.json"), "utf8"));
      assert.equal(engine.version, version);
      assert.deepEqual(engine.operations, Object.keys(NUMBERS));
    });
  }

  test(`a policy is parsed once and used often (${form})`, () => {
    const engine = createEngineSync();
    const policy = engine.policy(STRICT_POLICY);
    assert.deepEqual([policy.name, policy.version, policy.rules], ["strict", "1.0.0", []]);
    assert.match(policy.digest, /^sha256:[0-9a-f]{64}$/);
    assert.equal(engine.policy({ ...STRICT_POLICY, version: "1.0.1" }).digest === policy.digest, false);
    const expected = engine.evaluateText(JSON.stringify(envelope()), { policy: JSON.stringify(STRICT_POLICY) });
    for (let repeat = 0; repeat < 3; repeat++) {
      assert.equal(policy.evaluateText(JSON.stringify(envelope())), expected);
      assert.deepEqual(policy.evaluate(envelope()), JSON.parse(expected));
    }
    assert.equal(thrownBy(() => policy.evaluateText("{")).code, "malformed_json");
    assert.equal(engine.policyText(JSON.stringify(STRICT_POLICY)).evaluateText(JSON.stringify(envelope())), expected);
    assert.equal(thrownBy(() => engine.policy({ policy: "p" })).path, "/version");

    policy.free();
    policy[Symbol.dispose]();
    for (const use of [() => policy.evaluate(envelope()), () => policy.evaluateText("{}")]) {
      const error = thrownBy(use);
      assert.ok(error instanceof AdjudicateError);
      assert.equal(error.code, "wrong_usage");
    }
  });

  test(`an engine that was disposed of answers nothing, and others still answer (${form})`, () => {
    const [engine, other] = [createEngineSync(), createEngineSync()];
    const [policy, theirs] = [engine.policy(STRICT_POLICY), other.policy(STRICT_POLICY)];
    engine.dispose();
    engine[Symbol.dispose]();
    const calls = [
      () => engine.evaluate(envelope()),
      () => engine.callText("deliberate", "{}"),
      () => engine.policy(STRICT_POLICY),
      () => engine.compose(envelope(), { restrict: [theirs] }),
      () => policy.evaluate(envelope()),
      () => policy.check(),
    ];
    for (const call of calls) {
      const error = thrownBy(call);
      assert.equal(error.code, "wrong_usage");
      assert.match(error.message, /the engine has been disposed of$/);
    }
    assert.deepEqual(engine.evaluateBatch([envelope()])[0].error.code, "wrong_usage");
    policy.free();
    assert.equal(theirs.evaluate(envelope()).decision.status, "unsafe");
    assert.equal(thrownBy(() => engine.dispose.call({})).code, "wrong_usage");
  });

  test(`a document cannot reach beyond its place (${form})`, () => {
    const smuggled = `${JSON.stringify(envelope())},"policy":${JSON.stringify(STRICT_POLICY)}`;
    const error = thrownBy(() => createEngineSync().evaluateText(smuggled, { policy: "null" }));
    assert.equal(error.code, "malformed_json");
  });
}

test("the package has the version of the workspace", () => {
  const manifest = readFileSync(`${root}/../Cargo.toml`, "utf8");
  const { version } = JSON.parse(readFileSync(installedFile(folder, "package.json"), "utf8"));
  assert.match(manifest, new RegExp(`^version = "${version}"$`, "m"));
});

function thrownBy(run) {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  return assert.fail("nothing was thrown");
}

/** The entry `adjudicate/evaluate`. `tests/corpus` compares its operations with the corpus, in Node and in Chromium; `compose` its compositions. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";

const folder = install();
const wasm = readFileSync(installedFile(folder, "dist", "evaluate.wasm"));
const text = JSON.stringify;

for (const [form, { evaluate, main, slim, verdict }] of Object.entries(await bothForms(folder))) {
  const engine = evaluate.createEngineSync(wasm);
  const whole = main.createEngineSync();

  test(`the engine has the operations of a page (${form})`, async () => {
    assert.deepEqual(engine.operations, ["evaluate", "refine", "explain"]);
    const other = await evaluate.createEngine(new Response(wasm));
    assert.deepEqual([other.version, other.operations], [whole.version, engine.operations]);
    await assert.rejects(evaluate.createEngine(wasm, { policy: STRICT_POLICY }), { code: "wrong_usage" });
  });

  test(`policies, batches and open envelopes answer as those of the whole engine (${form})`, () => {
    const answers = [engine, whole].map((one) => {
      const policy = one.policy(STRICT_POLICY);
      const open = one.open(envelope(), { policy }).set("/evidence/validation/exit_codes/test", 1);
      return [
        ...[policy.name, policy.version, policy.digest, policy.rules],
        ...[FAILING, envelope()].flatMap((given) => [policy.evaluate(given), policy.refine(given), policy.explain(given, { trace: true })]),
        ...one.evaluateBatch([FAILING, {}, envelope()], { policy: STRICT_POLICY }),
        open.evaluateText(),
      ];
    });
    assert.equal(text(answers[0]), text(answers[1]));
  });

  test(`what needs the whole engine refuses this one (${form})`, async () => {
    assert.throws(() => engine.checkPolicy(STRICT_POLICY), {
      code: "unsupported_operation",
      message: "unknown operation `check_policy`; this engine has evaluate, refine, explain",
    });
    const refusal = { code: "wrong_usage", message: "expected the whole engine, found the engine of `adjudicate/evaluate`" };
    await assert.rejects(slim.loadModule(new Uint8Array(8), slim.createEngineSync(wasm)), refusal);
    await assert.rejects(verdict.makeVerdict(engine, "evaluate", text(envelope())), refusal);
    assert.throws(() => verdict.openVerdict(engine, "{}"), refusal);
    assert.equal(engine.evaluate(envelope()).decision.status, "success");
  });
}

/** Envelopes that stay open. The engine's own tests show that, after each change, the answer is that of the changed text. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { observed } from "./support/memory.mjs";

const forms = await bothForms(install());
const json = JSON.stringify;

/** Values of all kinds. */
const VALUES = [null, true, -1.5, 2 ** 53, "a\n\"\\", "\u0000\u{1f600}é", [[]], { "": 1, "x/z~": null }];

/** Returns the answer of a call, or the fields of its error. */
function outcomeOf(call) {
  try {
    return call();
  } catch ({ code, message, path, others }) {
    return json({ code, message, path, others });
  }
}

for (const [form, { main }] of Object.entries(forms)) {
  const engine = main.createEngineSync();

  test(`each value arrives in the envelope, whatever its length (${form})`, () => {
    for (const value of VALUES.flatMap((one) => [one, [one, "é\u{1f600}".repeat(300)], ["a".repeat(5000), one]])) {
      const open = engine.open(envelope());
      const expected = json(envelope({ "x-note": value }));
      assert.equal(open.set("/x-note", value).text(), expected);
      assert.deepEqual(JSON.parse(open.set("/x-note", 0).setText("/x-note", ` ${json(value)}\n`).text()), JSON.parse(expected));
      assert.equal(open.evaluateText(), engine.evaluateText(expected));
      assert.deepEqual(JSON.parse(open.remove("/x-note").text()), envelope());
    }
  });

  test(`a policy in any form applies, also after it is freed (${form})`, () => {
    const other = main.createEngineSync();
    const expected = engine.evaluateText(json(envelope()), { policy: json(STRICT_POLICY) });
    assert.match(expected, /"unsafe"/);
    const policies = [STRICT_POLICY, engine.policy(STRICT_POLICY), other.policy(STRICT_POLICY)];
    const opened = [
      ...policies.flatMap((policy) => [engine.open(envelope(), { policy }), engine.openText(json(envelope()), { policy: policy === STRICT_POLICY ? json(policy) : policy })]),
      policies[1].open(envelope()),
      policies[1].openText(json(envelope())),
      engine.open({ envelope: envelope(), policy: STRICT_POLICY }),
    ];
    for (const policy of policies.slice(1)) policy.free();
    for (const open of opened) assert.equal(open.evaluateText(), expected);
    for (const policy of [undefined, null]) {
      assert.equal(engine.open(envelope(), { policy }).evaluateText(), engine.evaluateText(json(envelope())));
    }
    assert.throws(() => engine.open(envelope(), { policy: policies[1] }), { code: "wrong_usage", message: "policy: the policy has been freed" });
    assert.throws(() => policies[1].open(envelope()), { code: "wrong_usage", message: "the policy has been freed" });
    assert.throws(() => engine.open(envelope(), { policy: { policy: "p" } }), { code: "missing_field", path: "/version", message: /^policy: / });
    const both = engine.open({ envelope: envelope(), policy: STRICT_POLICY }, { policy: STRICT_POLICY });
    assert.throws(() => both.evaluate(), { code: "invalid_value", path: "/policy" });
  });

  test(`an invalid value stays until it is corrected (${form})`, () => {
    const open = engine.open(FAILING);
    const answer = open.evaluateText();
    open.set("/evidence/validation/exit_codes/test", "1").set("/run_idd", 1);
    const expected = outcomeOf(() => engine.evaluateText(open.text()));
    assert.match(expected, /"invalid_value".*"\/run_idd"/);
    assert.equal(outcomeOf(() => open.evaluate()), expected);
    open.remove("/run_idd").set("/evidence/validation/exit_codes/test", 1);
    assert.equal(open.evaluateText(), answer);
    assert.equal(open.set("", envelope()).evaluate().decision.status, "success");
    assert.equal(open.text(), json(envelope()));
  });

  test(`a change that is refused changes nothing (${form})`, () => {
    const open = engine.open(FAILING);
    const text = open.text();
    const cyclic = {};
    cyclic.self = [cyclic];
    for (const [run, code, path] of [
      [() => open.set("run_id", 1), "invalid_value", ""],
      [() => open.set("/run_id~", 1), "invalid_value", ""],
      [() => open.set("/evidence/baseline/cases", []), "missing_field", "/evidence/baseline"],
      [() => open.set("/evidence/artifacts/2", "a"), "invalid_value", "/evidence/artifacts/2"],
      [() => open.set("/run_id/0", 1), "invalid_value", "/run_id"],
      [() => open.remove("/evidence/artifacts/-"), "invalid_value", "/evidence/artifacts/-"],
      [() => open.remove("/evidence/review"), "missing_field", "/evidence/review"],
      [() => open.remove(""), "invalid_value", ""],
      [() => open.set("/evidence", undefined), "invalid_value", "/evidence"],
      [() => open.set("/evidence", { a: [Number.NaN] }), "invalid_value", "/evidence/a/0"],
      [() => open.set("/evidence", cyclic), "invalid_value", "/evidence/self/0"],
      [() => open.set("", new Map()), "invalid_value", ""],
      [() => open.setText("/evidence/artifacts/-", '"a", "b"'), "malformed_json", "/evidence/artifacts/1"],
      [() => open.setText("/evidence", '{"a": 1, "a": 2}'), "duplicate_key", "/evidence/a"],
      [() => open.setText("/run_id", '"\ud800"'), "malformed_json", "/run_id"],
      [() => open.setText("/run_id", Uint8Array.of(0x22, 0xff, 0x22)), "malformed_json", "/run_id"],
      [() => open.setText("/x-deep", "[".repeat(128) + "]".repeat(128)), "limit_exceeded", /^\/x-deep(\/0){127}$/],
      [() => open.set("/run_id", "a".repeat((8 << 20) - 10)), "limit_exceeded", ""],
      [() => open.set(7, 1), "wrong_usage", ""],
      [() => open.set("/\ud800", 1), "wrong_usage", ""],
      [() => open.setText("/run_id", { run_id: 1 }), "wrong_usage", ""],
      [() => open.set("/run_id", 1, 2), "wrong_usage", ""],
      [() => open.setText("/run_id", "1", 2), "wrong_usage", ""],
      [() => open.remove("/run_id", 1), "wrong_usage", ""],
      [() => open.evaluate({ policy: STRICT_POLICY }), "wrong_usage", ""],
      [() => open.evaluateText({ policy: STRICT_POLICY }), "wrong_usage", ""],
      [() => open.text(1), "wrong_usage", ""],
    ]) {
      assert.throws(run, (error) => {
        assert.ok(error instanceof main.AdjudicateError, error.stack);
        assert.equal(error.code, code, `${run}: ${error.message}`);
        if (typeof path === "string") assert.equal(error.path, path, String(run));
        else assert.match(error.path, path);
        return true;
      });
      assert.equal(open.text(), text, String(run));
    }
  });

  test(`an envelope that is freed, lost or none answers nothing (${form})`, () => {
    const uses = [
      (open) => open.set("/run_id", "a"),
      (open) => open.setText("/run_id", '"a"'),
      (open) => open.remove("/run_id"),
      (open) => open.text(),
      (open) => open.evaluate(),
      (open) => open.evaluateText(),
    ];
    const all = [main.createEngineSync(), main.createEngineSync()].map((owner) => [owner, owner.open(FAILING)]);
    const [[, freed], [disposed, lost]] = all;
    freed.free();
    freed[Symbol.dispose]();
    disposed.dispose();
    for (const use of uses) {
      assert.throws(() => use(freed), { code: "wrong_usage", message: "the envelope has been freed" });
      assert.throws(() => use(lost), { code: "wrong_usage", message: "the engine has been disposed of" });
      assert.throws(() => use(Object.create(freed)), { code: "wrong_usage", message: /was not called on an envelope: write `envelope\.\w+\(...\)`/ });
    }
    lost.free();
    const { free, set } = engine.open(FAILING);
    assert.throws(() => free(), { code: "wrong_usage" });
    assert.throws(() => set.call(engine, "/run_id", "a"), { code: "wrong_usage" });
  });
}

test("envelopes that are freed, refused or forgotten leave memory as it was", async () => {
  const { engine, memory } = observed(forms.import.main.createEngineSync);
  const policy = engine.policy(STRICT_POLICY);
  const run = async (rounds) => {
    for (let round = 0; round < rounds; round++) {
      for (let count = 0; count < 300; count++) {
        const open = count % 2 === 0 ? engine.open(FAILING) : policy.open(FAILING);
        for (let turn = 0; turn < 10; turn++) open.set("/evidence/transcript_summary", `line\n${turn}`).set("/x-list", [turn]).remove("/x-list");
        assert.throws(() => open.setText("/run_id", "["), { code: "malformed_json" });
        assert.throws(() => engine.openText("{"), { code: "malformed_json" });
        if (count % 3 === 0) open.free();
      }
      await collectGarbage();
    }
  };
  await run(4);
  const before = memory.buffer.byteLength;
  await run(12);
  assert.equal(memory.buffer.byteLength, before);
});

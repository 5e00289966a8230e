/** Batches of envelopes: an invalid envelope does not affect the others. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";

const text = JSON.stringify;
const LIMIT = 8 << 20;

for (const [form, { main }] of Object.entries(await bothForms(install()))) {
  const engine = main.createEngineSync();
  const parsed = engine.policy(STRICT_POLICY);

  const unreadable = Object.defineProperty([0, 0], 1, {
    get() {
      throw new Error("mine");
    },
  });

  test(`each envelope has its answer or its error, in order (${form})`, () => {
    const whole = { envelope: envelope(), policy: STRICT_POLICY };
    const envelopes = [envelope(), {}, FAILING, null, undefined, new Map(), whole, "{}", envelope({ run_id: Number.NaN }), envelope()];
    const codes = (items) => items.map((item) => item.ok?.decision.status ?? item.error.code);
    const bad = "invalid_value";
    const [first, second] = [codes(engine.evaluateBatch(envelopes)), codes(parsed.evaluateBatch(envelopes))];
    assert.deepEqual(first, ["success", "missing_field", "partial", bad, bad, bad, "unsafe", bad, bad, "success"]);
    assert.deepEqual(second, ["unsafe", "missing_field", "unsafe", bad, bad, bad, "unknown_field", bad, bad, "unsafe"]);
    assert.deepEqual(engine.evaluateBatch(envelopes, { policy: STRICT_POLICY }), parsed.evaluateBatch(envelopes));
  });

  test(`holes, and items that cannot be read, are items with an error (${form})`, () => {
    const codes = (list) => engine.evaluateBatch(list).map((item) => item.error?.code ?? "ok");
    assert.deepEqual(codes([, envelope(), ,]), ["invalid_value", "ok", "invalid_value"]);
    assert.deepEqual(codes(unreadable), ["invalid_value", "invalid_value"]);
    assert.deepEqual(codes([]), []);
  });

  test(`a value that is not a list of envelopes, or not text, is wrong usage (${form})`, () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const other of [undefined, null, 1, "[]", {}, new Set(), new Uint8Array(2), { length: 1 }, proxy]) {
      assert.throws(() => engine.evaluateBatch(other), { code: "wrong_usage" });
      assert.throws(() => parsed.evaluateBatch(other), { code: "wrong_usage" });
    }
    for (const other of [undefined, null, 1, {}, [], new ArrayBuffer(2), proxy]) {
      assert.throws(() => engine.evaluateBatchText(other), { code: "wrong_usage" });
      assert.throws(() => parsed.evaluateBatchText(other), { code: "wrong_usage" });
    }
  });

  test(`lines are answered with lines (${form})`, () => {
    const [good, failing] = [text(envelope()), text(FAILING)];
    const lines = `${good}\r\n\n{\n  \t\r\n${failing}\n"\n[]`;
    const errorOf = (line) => text(engine.evaluateBatch([null])[0]) && thrown(() => engine.evaluateText(line));
    const expected = [engine.evaluateText(good), errorOf("{"), engine.evaluateText(failing), errorOf('"'), errorOf("[]")];
    for (const given of [lines, `${lines}\n`, new TextEncoder().encode(lines), Buffer.from(`${lines}\n\n`)]) {
      assert.equal(engine.evaluateBatchText(given), expected.map((line) => `${line}\n`).join(""));
    }
    const whole = (line) => engine.evaluateText(line, { policy: text(STRICT_POLICY) });
    const under = [whole(good), thrown(() => whole("{")), whole(failing), thrown(() => whole('"')), thrown(() => whole("[]"))];
    const answers = engine.evaluateBatchText(lines, { policy: text(STRICT_POLICY) });
    assert.deepEqual(answers.trimEnd().split("\n"), under);
    assert.equal(parsed.evaluateBatchText(lines), answers);
    for (const nothing of ["", "\n", " \n\t\r\n\f", new Uint8Array(0)]) assert.equal(engine.evaluateBatchText(nothing), "");
  });

  test(`lines that are no text, or too long, lose no other (${form})`, () => {
    const good = text(envelope());
    const tooLong = `the line is over the limit of ${LIMIT} bytes`;
    const replies = (lines) => engine.evaluateBatchText(lines).trimEnd().split("\n").map((line) => JSON.parse(line));
    for (const bad of [" ".repeat(LIMIT) + "1", "1".repeat(LIMIT + 1), "é".repeat(LIMIT / 2 + 1)]) {
      for (const lines of [`${bad}\n${good}`, Buffer.from(`${bad}\n${good}`)]) {
        const [first, second] = replies(lines);
        assert.deepEqual([first.error.code, first.error.message], ["limit_exceeded", tooLong]);
        assert.equal(second.decision.status, "success");
      }
    }
    const [surrogate, after] = replies(`"\ud800"\n${good}`);
    assert.equal(surrogate.error.code, "malformed_json");
    assert.equal(after.decision.status, "success");
    const [bytes, next] = replies(Buffer.concat([Uint8Array.of(0xff, 0x0a), Buffer.from(good)]));
    assert.equal(bytes.error.code, "malformed_json");
    assert.equal(next.decision.status, "success");
  });
}

/** Returns the error that a function throws, as text. */
function thrown(run) {
  try {
    run();
  } catch (error) {
    return JSON.stringify(error);
  }
  return assert.fail("nothing was thrown");
}

/** Compositions by every method, on the corpus of the command. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { corpusOf } from "./support/corpus.mjs";
import { RULED_POLICY, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";
import { observed } from "./support/memory.mjs";

const folder = install();
const forms = await bothForms(folder);
const wasm = readFileSync(installedFile(folder, "dist", "evaluate.wasm"));
const text = JSON.stringify;

/** The corpus: `{name, envelope, options, answer}`, the answer without white space. */
const compositions = corpusOf("compose").map(({ name, call: { envelope, ...options }, answer }) => ({ name, envelope, options, answer: text(answer) }));

/** Returns the options with each document and each answer converted. */
function mapped(options, change) {
  const changed = (part) => ("answer" in part ? { ...part, answer: change(part.answer, true) } : change(part, false));
  return Object.fromEntries(Object.entries(options).map(([name, part]) => [name, Array.isArray(part) ? part.map(changed) : changed(part)]));
}

const answerOf = (run) => {
  try {
    const answer = run();
    return typeof answer === "string" ? answer : text(answer);
  } catch (error) {
    if (error.name !== "AdjudicateError") throw error;
    return text(error);
  }
};

for (const [form, { evaluate, main }] of Object.entries(forms)) {
  const { AdjudicateError, createEngineSync } = main;
  const engine = createEngineSync();
  const other = createEngineSync();
  const small = evaluate.createEngineSync(wasm);

  for (const { name, envelope: subject, options, answer } of compositions) {
    test(`${name}: every way has the bytes of the corpus (${form})`, () => {
      const parsedBy = (owner) => mapped(options, (member, isAnswer) => (isAnswer ? member : owner.policy(member)));
      const texts = mapped(options, (member) => text(member));
      const bytes = mapped(options, (member) => new TextEncoder().encode(text(member)));
      const parsedTexts = mapped(options, (member, isAnswer) => (isAnswer ? text(member) : engine.policy(member)));
      for (const [way, run] of [
        ["values", () => engine.compose(subject, options)],
        ["parsed policies", () => engine.compose(subject, parsedBy(engine))],
        ["policies that another engine parsed", () => engine.compose(subject, parsedBy(other))],
        ["texts", () => engine.composeText(text(subject), texts)],
        ["texts for the engine of a page", () => small.composeText(text(subject), texts)],
        ["bytes", () => engine.composeText(new TextEncoder().encode(text(subject)), bytes)],
        ["parsed policies beside text", () => engine.composeText(text(subject), parsedTexts)],
      ]) {
        assert.equal(answerOf(run), answer, way);
      }
      const { policy, ...more } = options;
      if (policy === undefined) return;
      assert.equal(answerOf(() => engine.policy(policy).compose(subject, more)), answer);
      const { policy: _, ...moreTexts } = texts;
      assert.equal(answerOf(() => engine.policy(policy).composeText(text(subject), moreTexts)), answer);
    });
  }

  test(`an invalid part of a composition is refused, and the error has its path (${form})`, () => {
    const freed = engine.policy(STRICT_POLICY);
    freed.free();
    const compose = (options) => () => engine.compose(envelope(), options);
    const hostile = new Proxy({}, { getPrototypeOf() { throw new Error("mine"); } });
    for (const [run, code, message, path] of [
      [compose({ restrict: STRICT_POLICY }), "wrong_usage", /^expected a list of policies in `restrict`, found an object/],
      [compose({ restrict: engine.policy(STRICT_POLICY) }), "wrong_usage", /^expected a list .* found an object of a class/],
      [compose({ restrict: [RULED_POLICY, null] }), "invalid_value", /^restrict\[1\]: /],
      [compose({ restrict: [RULED_POLICY, { policy: "p" }] }), "missing_field", /^restrict\[1\]: /, "/version"],
      [compose({ restrict: [new Array(1)] }), "invalid_value", /^restrict\[0\]: /, "/0"],
      [compose({ restrict: [freed] }), "wrong_usage", /the policy has been freed/],
      [compose({ override: { policy: "p", version: "1" } }), "invalid_value", /^override: /, "/version"],
      [compose({ override: [STRICT_POLICY] }), "invalid_value", /^override: /],
      [compose({ override: { origin: "them" } }), "wrong_usage", /^override: missing field `answer`/],
      [compose({ override: { answer: {} } }), "wrong_usage", /^override: `origin` is a string, found undefined/],
      [compose({ override: { origin: "\ud800", answer: {} } }), "wrong_usage", /^override: `origin` is not well-formed/],
      [compose({ override: { origin: "them", answer: {}, policy: "p" } }), "wrong_usage", /unknown field `policy`/],
      [compose({ override: { origin: "them", answer: {} } }), "module_invalid_decision", /^them: /, "/decision"],
      [compose({ restrict: [hostile] }), "wrong_usage", /^restrict\[0\]: the value cannot be read: mine/],
      [compose({ policy: { policy: "p" } }), "missing_field", /^policy: /, "/version"],
      [compose({ restricts: [] }), "wrong_usage", /unknown option `restricts`, did you mean `restrict`\?/],
      [compose(STRICT_POLICY), "wrong_usage", /unknown option `version`, options are `\{ policy, override, restrict \}`/],
      [compose(engine.policy(STRICT_POLICY)), "wrong_usage", /use `policy\.compose\(envelope\)`/],
      [() => engine.policy(RULED_POLICY).compose(envelope(), { policy: STRICT_POLICY }), "wrong_usage", /`\{ override, restrict \}`/],
      [() => engine.compose({ envelope: envelope() }), "unknown_field", /./, "/envelope"],
      [() => engine.composeText(text(envelope()), { restrict: ["null"] }), "invalid_value", /^restrict\[0\]: /],
      [() => engine.composeText(text(envelope()), { restrict: [STRICT_POLICY] }), "wrong_usage", /^restrict\[0\]: expected JSON text/],
      [() => engine.composeText(text(envelope()), { restrict: [{ origin: "them", answer: "{" }] }), "malformed_json", /^them: /],
    ]) {
      assert.throws(run, (error) => {
        assert.ok(error instanceof AdjudicateError, String(error));
        assert.equal(error.code, code, error.message);
        assert.match(error.message, message);
        if (path !== undefined) assert.equal(error.path, path);
        return true;
      });
    }
    assert.equal(engine.compose(envelope(), { restrict: null, override: null, policy: null }).decision.status, "success");
  });

  test(`policies of a call are freed with the call (${form})`, () => {
    const { engine: watched, memory } = observed(createEngineSync);
    const policy = watched.policy(STRICT_POLICY);
    const attempt = () => {
      watched.compose(envelope(), { policy, override: RULED_POLICY, restrict: [policy, RULED_POLICY] });
      assert.throws(() => watched.compose(envelope(), { restrict: [RULED_POLICY, { policy: "p" }] }));
      assert.throws(() => watched.compose({}, { restrict: [RULED_POLICY] }));
    };
    for (let repeat = 0; repeat < 100; repeat++) attempt();
    const before = memory.buffer.byteLength;
    for (let repeat = 0; repeat < 2000; repeat++) attempt();
    assert.equal(memory.buffer.byteLength, before);
    assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
  });
}

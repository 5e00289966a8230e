/** Calls of the wrong form. Without an error, they would decide without the intended policy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";
import { PLAN_CALLS, methodOf, methodsOf as allMethodsOf } from "./support/operations.mjs";

const folder = install();
const methodsOf = (object) => allMethodsOf(object).filter((name) => typeof name === "string");
const text = JSON.stringify(envelope());
const policyText = JSON.stringify(STRICT_POLICY);

for (const [form, { main, slim }] of Object.entries(await bothForms(folder))) {
  const engine = main.createEngineSync();
  const parsed = engine.policy(STRICT_POLICY);
  const throwing = {
    get policy() {
      throw new Error("mine");
    },
  };

  /** The methods whose only option is a policy, called with these options. */
  const withOptions = (options) => [
    ["evaluate", () => engine.evaluate(envelope(), options)],
    ["evaluateText", () => engine.evaluateText(text, options)],
    ["evaluateBatch", () => engine.evaluateBatch([envelope()], options)],
    ["evaluateBatchText", () => engine.evaluateBatchText(text, options)],
    ["open", () => engine.open(envelope(), options).evaluate()],
    ["openText", () => engine.openText(text, options).evaluateText()],
  ];

  const refused = (run, message, what) => {
    assert.throws(run, (error) => {
      assert.ok(error instanceof main.AdjudicateError || error instanceof slim.AdjudicateError, `${what}: ${error}`);
      assert.deepEqual([error.code, error.path], ["wrong_usage", ""], `${what}: ${error.message}`);
      assert.match(error.message, message, what);
      return true;
    });
  };

  for (const [what, options, message] of [
    ["the text of a policy", policyText, /expected options `\{ policy \}` in a plain object, found a string/],
    ["null", null, /found null/],
    ["a number", 1, /found a number/],
    ["a list", [STRICT_POLICY], /found a list/],
    ["a function", () => STRICT_POLICY, /found a function/],
    ["a map", new Map([["policy", STRICT_POLICY]]), /found an object of a class/],
    ["an object that inherits a policy", Object.create({ policy: STRICT_POLICY }), /found an object of a class/],
    ["a policy document", STRICT_POLICY, /unknown option `version`, options are `\{ policy \}`/],
    ["a misspelt name", { polcy: STRICT_POLICY }, /unknown option `polcy`, did you mean `policy`\?/],
    ["a capital", { Policy: STRICT_POLICY }, /unknown option `Policy`, did you mean `policy`\?/],
    ["a plural", { policies: [STRICT_POLICY] }, /unknown option `policies`, options are/],
    ["an unknown field next to the policy", { policy: null, strict: true }, /unknown option `strict`, options are/],
    ["a hidden member", Object.defineProperty({}, "polyci", { value: 1 }), /`polyci`, did you mean `policy`\?/],
    ["a symbol", { [Symbol("policy")]: STRICT_POLICY }, /unknown option `Symbol\(policy\)`/],
    ["a long name", { ["policy".repeat(1000)]: STRICT_POLICY }, /unknown option `(policy){10}\.\.\.`, options are/],
    ["a getter that throws", throwing, /cannot be read: mine/],
    ["a revoked proxy", revoked(), /cannot be read/],
  ]) {
    test(`${what} in place of options is refused (${form})`, () => {
      for (const [method, run] of withOptions(options)) refused(run, message, method);
    });
  }

  test(`a parsed policy is not an option, and the error suggests the method (${form})`, () => {
    for (const [method, run] of withOptions(parsed)) {
      refused(run, new RegExp(`use \`policy\\.${method}\\(envelope\\)\``), method);
    }
    refused(() => engine.refine(envelope(), { evaluation: parsed }), /a parsed policy is not an option/, "refine");
    refused(() => engine.explain(envelope(), { trace: parsed }), /a parsed policy is not an option/, "explain");
    refused(() => engine.checkPolicy(parsed), /use `policy\.check\(\)`/, "checkPolicy");
    refused(() => engine.checkPolicyText(parsed), /use `policy\.checkText\(\)`/, "checkPolicyText");
    refused(() => engine.policy(parsed), /parsed already/, "policy");
    refused(() => engine.policyText(parsed), /parsed already/, "policyText");
  });

  test(`options of other operations are their own (${form})`, () => {
    for (const [run, message] of [
      [() => engine.evaluate(envelope(), { trace: true }), /unknown option `trace`, options are `\{ policy \}`/],
      [() => engine.refine(envelope(), { trace: true }), /options are `\{ policy, evaluation \}`/],
      [() => engine.refineText(text, { evaluatoin: text }), /did you mean `evaluation`\?/],
      [() => engine.explain(envelope(), { evaluation: {} }), /options are `\{ policy, trace \}`/],
      [() => engine.explainText(text, { tarce: true }), /did you mean `trace`\?/],
      [() => engine.explain(envelope(), { trace: "yes" }), /`trace` is true or false, found a string/],
      [() => engine.explainText(text, { trace: 1 }), /`trace` is true or false, found a number/],
      [() => parsed.explain(envelope(), { trace: {} }), /`trace` is true or false, found an object/],
      [() => parsed.refine(envelope(), { policy: STRICT_POLICY }), /options are `\{ evaluation \}`/],
      [() => parsed.explain(envelope(), { policy: STRICT_POLICY }), /options are `\{ trace \}`/],
      [() => engine.callText(7, text), /expected the name of an operation, found a number/],
      [() => engine.call(undefined, envelope()), /expected the name of an operation, found undefined/],
    ]) {
      refused(run, message, String(run));
    }
    for (const name of ["Evaluate", "check-policy", "", "constructor", "x".repeat(1000)]) {
      assert.throws(() => engine.callText(name, text), { code: "unsupported_operation" });
    }
  });

  test(`options of any realm, or none, are options (${form})`, () => {
    for (const options of [undefined, {}, { policy: undefined }, { policy: null }, Object.create(null)]) {
      for (const [method, run] of withOptions(options)) assert.equal(statusOf(run()), "success", method);
    }
    const foreign = runInNewContext("({ policy })", { policy: STRICT_POLICY });
    const bare = Object.assign(Object.create(null), { policy: STRICT_POLICY });
    for (const options of [foreign, bare]) assert.equal(engine.evaluate(envelope(), options).decision.status, "unsafe");
    assert.equal(statusOf(engine.evaluateText(text, { policy: policyText })), "unsafe");
  });

  test(`arguments that would be ignored are refused (${form})`, async () => {
    const surplus = { policy: STRICT_POLICY };
    const ends = ["free", "dispose"];
    for (const owner of [engine, parsed]) {
      for (const method of methodsOf(owner).filter((name) => !ends.includes(name))) {
        refused(() => owner[method](undefined, undefined, surplus), /too many arguments: /, method);
      }
    }
    for (const [owner, methods] of [
      [engine, ["checkPolicy", "checkPolicyText", "policy", "policyText", ...Object.keys(PLAN_CALLS).map(methodOf)]],
      [parsed, ["evaluate", "evaluateText", "evaluateBatch", "evaluateBatchText", "open", "openText", "facts"]],
    ]) {
      for (const method of methods) refused(() => owner[method](envelope(), surplus), /too many arguments: /, method);
    }
    refused(() => parsed.check(surplus), /too many arguments: /, "check");
    refused(() => main.createEngineSync(surplus), /too many arguments: /, "createEngineSync");
    refused(() => slim.createEngineSync(new Uint8Array(8), surplus), /too many arguments: /, "slim createEngineSync");
    const wasm = readFileSync(installedFile(folder, "dist", "engine.wasm"));
    await assert.rejects(main.createEngine(surplus), { code: "wrong_usage" });
    await assert.rejects(slim.createEngine(wasm, surplus), { code: "wrong_usage" });
    assert.equal(parsed.evaluate(envelope(), undefined).decision.status, "unsafe");
    assert.equal((await main.createEngine(undefined)).evaluate(envelope()).decision.status, "success");
  });

  test(`a detached method names the right call (${form})`, () => {
    for (const [owner, object, methods] of [["engine", engine, methodsOf(engine)], ["policy", parsed, methodsOf(parsed)]]) {
      assert.ok(methods.length > 8, `${methods}`);
      for (const method of methods) {
        const others = [undefined, null, 1, {}, new Proxy(object, {}), Object.create(object), engine.constructor];
        for (const other of others) {
          const message = new RegExp(`write \`${owner}\\.${method}\\(\\.\\.\\.\\)\``);
          refused(() => object[method].call(other, envelope()), message, method);
        }
      }
    }
    assert.equal(parsed.evaluate(envelope()).decision.status, "unsafe");
  });

  test(`a value that claims to be text is not read (${form})`, () => {
    const spoof = Object.defineProperty(new DataView(new ArrayBuffer(4)), Symbol.toStringTag, { value: "Uint8Array" });
    const heirs = [new Proxy(new Uint8Array(2), {}), Object.create(new Uint8Array(2))];
    const others = [undefined, null, 1, {}, [], new ArrayBuffer(2), new Uint16Array(2), new DataView(new ArrayBuffer(2))];
    for (const input of [...others, spoof, revoked(), ...heirs, Symbol("a"), 1n, () => "{}"]) {
      refused(() => engine.evaluateText(input), /expected JSON text/, "evaluateText");
      refused(() => engine.policyText(input), /expected JSON text/, "policyText");
      refused(() => parsed.evaluateText(input), /expected JSON text/, "policy.evaluateText");
    }
  });
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function statusOf(answer) {
  if (Array.isArray(answer)) return statusOf(answer[0].ok);
  return (typeof answer === "string" ? JSON.parse(answer) : answer).decision.status;
}

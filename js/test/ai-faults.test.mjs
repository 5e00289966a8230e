/** A gate rejects unknown answers of its judge, and options that would have no effect. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { CALL_POLICY, GUARDRAILS, OPTIONS, STEP_POLICY, TOOLS, call, done, step } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const { main, ai } = (await bothForms(install())).import;
const { createGate, AdjudicateError } = ai;
const { createEngineSync } = main;
const engine = createEngineSync();

/** A valid answer of each operation. */
const GOOD = {
  applyGuardrails: (call) => engine.applyGuardrails(call),
  evaluate: (envelope, options) => engine.evaluate(envelope, options),
  refine: (envelope, options) => engine.refine(envelope, options),
};
const throwing = (thrown) => () => {
  throw thrown;
};
const decided = (decision, actions) => () => ({ actions, decision, findings: [] });
const SPOILT = [
  ["throws", throwing(new Error("broken"))],
  ["rejects", () => Promise.reject(new Error("broken"))],
  ["throws nothing", throwing(undefined)],
  ["nothing", () => undefined],
  ["null", () => null],
  ["true", () => true],
  ["text", () => "allow"],
  ["a list", () => []],
  ["an empty object", () => ({})],
  ["unknown words", decided({ status: "approved", next_step: "continue", fix_instructions: null }, [{ policyId: "p", action: { type: "allow" }, terminal: false }])],
  ["an unknown step", decided({ status: "success", next_step: "deploy", fix_instructions: null }, [null])],
  ["an inherited status", decided({ status: "toString", next_step: null }, [{ action: {} }])],
];

for (const [what, answer] of SPOILT) {
  test(`a judge that answers ${what} allows nothing`, async () => {
    const judge = { ...GOOD };
    const gate = await createGate(judge, { ...OPTIONS, stepPolicy: STEP_POLICY });
    const last = step(done(call("write_file", { path: "a" }), "ok"));
    assert.equal((await gate.judgeSteps([{ ...last }])).action, "continue");
    for (const name of ["applyGuardrails", "evaluate", "refine"]) {
      Object.assign(judge, GOOD, { [name]: answer });
      if (name !== "refine") {
        const toolCall = name === "evaluate" ? call("write_file", { path: "a" }) : call("shell", { command: "ls" });
        const verdict = await gate.judgeCall(toolCall);
        assert.deepEqual([verdict.action, verdict.by], ["deny", "fault"], name);
        assert.equal((await gate.toolApproval({ toolCall })).type, "denied");
        assert.equal((await gate.client.evaluate("adjudicate/call", { tool: { name: toolCall.toolName }, args: toolCall.input })).decision, "deny");
      }
      const steps = [{ ...last }, step([], "stop")];
      const verdict = await gate.judgeSteps(steps);
      assert.deepEqual([verdict.action, verdict.by, verdict.status], ["stop", "fault", null], name);
      // The run stays stopped.
      Object.assign(judge, GOOD);
      assert.equal((await gate.judgeSteps(steps)).action, "stop", name);
    }
    Object.assign(judge, { evaluate: answer });
    await assert.rejects(createGate(judge, { tools: TOOLS, callPolicy: CALL_POLICY }));
  });
}

test("a gate with an option that it would ignore is not made", async () => {
  const own = { trigger: { kind: "onStart" }, action: { type: "fail", message: "m" } };
  for (const [options, message] of [
    [undefined, /plain object/],
    [{}, /`tools`/],
    [{ tools: [] }, /`tools`/],
    [{ tools: { a: null } }, /rule of `a`/],
    [{ tools: { a: { change: () => [] } } }, /did you mean `changes`/],
    [{ tools: { a: { changes: [] } } }, /`changes` is a function/],
    [{ tools: {}, guardrail: [] }, /did you mean `guardrails`/],
    [{ tools: {}, policy: CALL_POLICY }, /unknown field `policy`/],
    [{ tools: {}, guardrails: {} }, /`guardrails` is a list/],
    [{ tools: {}, callPolicy: "p" }, /`callPolicy`/],
    [{ tools: {}, evidence: {} }, /`evidence` is a function/],
    [{ tools: {}, guardrails: [{ id: "g", ...own, trigger: { kind: "manual" } }] }, /has the trigger `manual`/],
    ...[
      { kind: "onStart", selector: { capabilityId: "reed_file" } },
      { kind: "onStart", selector: { capabilityId: "read_file", kind: "write" } },
      { kind: "onStart", selector: { nodeId: "toString" } },
      { kind: "onNodeComplete", nodeId: "reed_file" },
    ].map((trigger) => [{ tools: TOOLS, guardrails: [{ id: "g", ...own, trigger }] }, /`g` selects an unknown tool/]),
    [
      { tools: TOOLS, guardrails: [{ id: "g", ...own, trigger: { kind: "onMetricBelow", metric: "calls", threshold: 1, selector: {} } }] },
      /`g` selects a tool, but metrics belong to no tool/,
    ],
  ]) {
    await assert.rejects(
      createGate(engine, options),
      (error) => error instanceof AdjudicateError && error.code === "wrong_usage" && message.test(error.message),
      JSON.stringify(options),
    );
  }
  for (const trigger of [
    { kind: "onStart", selector: { kind: "shell", "x-note": "all of them" } },
    { kind: "onStart", selector: {} },
    { kind: "onTimeout", ms: 5, nodeId: "shell" },
  ]) {
    await createGate(engine, { tools: TOOLS, guardrails: [{ id: "g", ...own, trigger }] });
  }
  for (const judge of [undefined, null, {}, createEngineSync, engine.policy(CALL_POLICY)]) {
    await assert.rejects(createGate(judge, { tools: {} }), { code: "wrong_usage" });
  }
  await assert.rejects(createGate(engine, { tools: {} }, CALL_POLICY), { code: "wrong_usage" });
  await assert.rejects(createGate(engine, { tools: {}, guardrails: [{ ...own, id: 1 }] }), { code: "invalid_value" });
  await assert.rejects(createGate(engine, { tools: {}, guardrails: [{ ...own, id: "g", action: { type: "goto", nodeId: "x" } }] }), { code: "invalid_policy" });
  await assert.rejects(createGate(engine, { tools: {}, stepPolicy: { policy: "p", version: "one" } }), { path: "/version" });
});

test("changes of options after they were read have no effect", async () => {
  const copy = () => structuredClone({ guardrails: GUARDRAILS, callPolicy: CALL_POLICY, stepPolicy: STEP_POLICY });
  const tools = { ...TOOLS, write_file: { ...TOOLS.write_file } };
  const options = { ...copy(), tools, context: () => 1, evidence: (found) => found };
  const making = createGate(engine, options);
  const spoil = () => {
    options.guardrails[0].trigger.kind = "manual";
    options.guardrails[1].enabled = false;
    options.guardrails.length = 0;
    options.callPolicy.forbidden_paths.length = 0;
    options.stepPolicy.forbidden_paths = [];
    tools.write_file.changes = () => [];
    tools.mail = { changes: () => [] };
    options.evidence = () => null;
  };
  spoil();
  const gate = await making;
  for (const toolCall of [call("shell", { command: "git push" }), call("write_file", { path: "deploy/a" }), call("mail", {})]) {
    assert.equal((await gate.judgeCall(toolCall)).action, "deny", toolCall.toolName);
  }
  assert.equal((await gate.judgeCall(call("shell", { command: "rm a" }))).action, "ask");
  assert.equal((await gate.judgeSteps([step(done(call("write_file", { path: "deploy/a" }), 1))])).status, "unsafe");
});

test("contradictory options are refused", async () => {
  const hidden = Object.defineProperty({ tools: TOOLS }, "callPolicy", { value: CALL_POLICY, enumerable: false });
  const strict = await createGate(engine, hidden);
  assert.equal((await strict.judgeCall(call("write_file", { path: "deploy/a" }))).by, "policy");
  const inherited = Object.create(Object.assign(Object.create(null), { tools: TOOLS, callPolicy: CALL_POLICY }));
  await assert.rejects(createGate(engine, inherited), { code: "wrong_usage", message: /`tools` is an object/ });
  const broken = throwing(new Error("broken"));
  for (const options of [
    new Proxy({ tools: TOOLS }, { ownKeys: broken }),
    new Proxy({ tools: TOOLS }, { get: broken }),
    { tools: new Proxy({}, { ownKeys: broken }) },
    { tools: { a: new Proxy({}, { getPrototypeOf: broken }) } },
    { tools: TOOLS, callPolicy: new Proxy({ evaluate: 1 }, { get: broken }) },
  ]) {
    await assert.rejects(createGate(engine, options), { name: "AdjudicateError", code: "wrong_usage", message: /broken/ });
  }
  const guardrails = [{ ...GUARDRAILS[0], toJSON: () => ({ ...GUARDRAILS[0], action: { type: "emit", event: "e" } }) }];
  const gate = await createGate(engine, { tools: TOOLS, guardrails });
  assert.equal((await gate.judgeCall(call("shell", { command: "git push" }))).action, "allow");
  await assert.rejects(createGate(engine, { tools: TOOLS, guardrails: [{ ...GUARDRAILS[0], x: new Map() }] }), { code: "invalid_value", path: "/0/x" });
});

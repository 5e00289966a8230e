/** A gate allows only known calls and steps, and accepts only known answers of its judge. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { engineFile } from "./support/abi.mjs";
import { CALL_POLICY, GUARDRAILS, OPTIONS, PLAIN_POLICY, STEP_POLICY, TOOLS, call, done, failed, step } from "./support/gate.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";

const folder = install();
const forms = await bothForms(folder);
const { createEngineSync, loadModule } = forms.import.main;
const { createGate } = forms.import.ai;
const engine = createEngineSync();

test("calls run, are denied, or wait for a human", async () => {
  const gate = await createGate(engine, OPTIONS);
  for (const [toolCall, action, by, reason] of [
    [call("read_file", { path: "a.txt" }), "allow", "default", /^$/],
    [call("write_file", { path: "src/a.rs" }), "allow", "default", /^$/],
    [call("write_file", { path: "deploy/a.yaml" }), "deny", "policy", /deploy\/a\.yaml/],
    [call("write_file", { path: "./src/../deploy/a.yaml" }), "deny", "policy", /deploy/],
    [call("write_file", { path: "db/1.sql" }), "ask", "policy", /db\/1\.sql/],
    [call("shell", { command: "git push origin" }), "deny", "guardrail", /^pushing is done by people$/],
    [call("shell", { command: "rm -r build" }), "ask", "guardrail", /^something is removed$/],
    [call("shell", { command: "ls" }), "allow", "default", /^$/],
    // A condition that cannot be decided asks a human.
    [call("shell", {}), "ask", "guardrail", /condition_undecided/],
    [call("shell", { command: 7 }), "ask", "guardrail", /condition_undecided/],
    [call("mail", { to: "all" }), "deny", "tools", /unknown tool `mail`/],
    [call("constructor", {}), "deny", "tools", /`constructor`/],
    [call("__proto__", {}), "deny", "tools", /`__proto__`/],
    [call(undefined, {}), "deny", "tools", /undefined/],
    [call("write_file", { path: 1 }), "deny", "fault", /could not judge this (call|step)/],
    [call("write_file", undefined), "deny", "fault", /could not judge this (call|step)/],
    [call("shell", { command: "ls", more: new Map() }), "deny", "fault", /could not judge this (call|step)/],
    [undefined, "deny", "fault", /could not judge this (call|step)/],
  ]) {
    const verdict = await gate.judgeCall(toolCall);
    assert.deepEqual([verdict.about, verdict.action, verdict.by], ["call", action, by], `${JSON.stringify(toolCall)} ${verdict.reason}`);
    assert.match(verdict.reason, reason);
    const approval = await gate.toolApproval({ toolCall });
    assert.equal(approval.type, { allow: "approved", deny: "denied", ask: "user-approval" }[action]);
  }
});

test("if the files of a call are unknown and a policy needs them, a human is asked", async () => {
  const gate = await createGate(engine, { tools: { patch: {} }, callPolicy: CALL_POLICY });
  assert.equal((await gate.judgeCall(call("patch", { path: "a" }))).action, "ask");
  const free = await createGate(engine, { tools: { patch: {} }, callPolicy: { policy: "p", version: "1.0.0" } });
  assert.equal((await free.judgeCall(call("patch", { path: "a" }))).action, "allow");
});

test("the strictest of several verdicts wins, in any order", async () => {
  const always = (id, action) => ({ id, trigger: { kind: "onStart" }, action });
  const ask = always("ask", { type: "hitl", rationale: "look" });
  const tell = always("tell", { type: "emit", event: "seen" });
  for (const [guardrails, action, reason] of [
    [[tell], "allow", ""],
    [[tell, ask], "ask", "look"],
    [[ask, always("no", { type: "fail", message: "no" }), always("again", { type: "retry", maxAttempts: 1 })], "deny", "no"],
    [[always("wait", { type: "pause", reason: "wait" }), ask], "ask", "wait"],
    [[always("anew", { type: "replan" })], "deny", "the guardrail `anew` requires a new plan"],
    [[always("again", { type: "retry", maxAttempts: 2 })], "deny", "the guardrail `again` requires a retry"],
  ]) {
    const gate = await createGate(engine, { tools: TOOLS, guardrails });
    const verdict = await gate.judgeCall(call("read_file", {}));
    assert.deepEqual([verdict.action, verdict.reason], [action, reason]);
    assert.equal(verdict.actions.length, guardrails.length);
  }
});

test("conditions see as much of the run's context as they are shown", async () => {
  const guardrails = [
    { id: "oncall", trigger: { kind: "onStart" }, condition: { "!=": [{ var: "context.role" }, "sre"] }, action: { type: "fail", message: "sre only" } },
  ];
  const gate = await createGate(engine, { tools: TOOLS, guardrails, context: ({ role }) => ({ role }) });
  assert.equal((await gate.judgeCall(call("read_file", {}), { role: "sre", socket: new Map() })).action, "allow");
  assert.equal((await gate.judgeCall(call("read_file", {}), { role: "guest" })).reason, "sre only");
  assert.deepEqual(await gate.judgeCall(call("read_file", {})).then(({ action, by }) => [action, by]), ["deny", "fault"]);
});

test("steps continue, continue with advice, and stop", async () => {
  const gate = await createGate(engine, { tools: TOOLS, guardrails: GUARDRAILS, stepPolicy: STEP_POLICY });
  const write = (path) => call("write_file", { path });
  const denied = call("shell", { command: "git push" });
  const waiting = call("shell", { command: "rm a" });
  for (const [name, last, action, status, reason, asks = false] of [
    ["text alone", step([{ type: "text", text: "claims: tests_passed" }], "stop"), "continue", "success", /^$/],
    ["a call", step(done(write("a"), "ok")), "continue", "success", /^$/],
    ["a call that failed", step(failed(write("a"), "disk full")), "feedback", "partial", /write_file: repeat it .* \(disk full\)/],
    [
      "a call that was denied",
      step([
        { type: "tool-call", ...denied },
        { type: "tool-approval-request", approvalId: "1", toolCall: denied, isAutomatic: true },
        { type: "tool-approval-response", approvalId: "1", toolCall: denied, approved: false, reason: "pushing is done by people" },
      ]),
      "feedback",
      "partial",
      /do not repeat .*pushing is done by people/,
    ],
    [
      "a call that waits",
      step([{ type: "tool-call", ...waiting }, { type: "tool-approval-request", approvalId: "1", toolCall: waiting }]),
      "stop",
      "needs_human",
      /shell/,
      true,
    ],
    ["a forbidden file", step(done(write("deploy/a"), "ok")), "stop", "unsafe", /deploy\/a/],
    ["an unknown tool", step(done(call("mail", {}), "sent")), "stop", "unsafe", /forbidden_operation:mail/],
    ["a secret", step(done(call("read_file", {}), "-----BEGIN PRIVATE KEY")), "stop", "success", /a key was read/],
    ["cut off", step([], "length"), "stop", "blocked", /the step failed/],
    ["filtered", step([], "content-filter"), "stop", "unsafe", /policy/],
    ["an unknown finish reason", step([], "toString"), "stop", "blocked", /the step failed/],
    ["no step", null, "stop", null, /could not judge this (call|step)/],
    ["no parts", { finishReason: "stop" }, "stop", null, /could not judge this (call|step)/],
  ]) {
    const verdict = await gate.judgeSteps([last]);
    assert.deepEqual([verdict.action, verdict.status, verdict.asks], [action, status, asks], `${name}: ${verdict.reason}`);
    assert.match(verdict.reason, reason, name);
    assert.equal(await gate.stopWhen({ steps: [last] }), action === "stop", name);
  }
  assert.equal((await gate.judgeSteps([])).by, "fault");
  assert.equal((await gate.judgeSteps(undefined)).by, "fault");
});

test("advice is given as often as the policy allows, then a human is asked", async () => {
  const failing = () => step(failed(call("write_file", { path: "a" }), "disk full"));
  const steps = [failing(), failing(), failing()];
  const loop = await createGate(engine, { tools: TOOLS, stepPolicy: STEP_POLICY });
  const actions = async (gate) => Promise.all(steps.map(async (_, at) => (await gate.judgeSteps(steps.slice(0, at + 1))).action));
  assert.deepEqual(await actions(loop), ["feedback", "stop", "stop"]);
  // Without a policy the third in a row needs a human.
  const plain = await createGate(engine, { tools: TOOLS });
  assert.deepEqual(await actions(plain), ["feedback", "feedback", "stop"]);
  const last = await plain.judgeSteps(steps);
  assert.ok(last.asks && last.status === "needs_human");
  // A run that goes on against the verdict gets no tools.
  const { messages, activeTools } = await plain.prepareStep({ steps, messages: [{ role: "user", content: "go" }] });
  assert.deepEqual(activeTools, []);
  assert.deepEqual(messages.map(({ role }) => role), ["user", "user"]);
  assert.equal(await plain.prepareStep({ steps: [], messages: [] }), undefined);
});

for (const id of ["again", "__proto__", "constructor"]) test(`guardrails count their retries over the run, and get time and numbers: ${id}`, async () => {
  const guardrails = [
    { id, trigger: { kind: "onValidationFail" }, action: { type: "retry", maxAttempts: 1 } },
    { id: "slow", trigger: { kind: "onTimeout", ms: 50 }, action: { type: "fail", message: "too slow" } },
    { id: "poor", trigger: { kind: "onMetricBelow", metric: "left", threshold: 10 }, action: { type: "pause", reason: "few tokens left" } },
  ];
  const metrics = (steps) => ({ left: 100 - steps.length * 45 });
  const gate = await createGate(engine, { tools: TOOLS, guardrails, metrics, stepPolicy: PLAIN_POLICY });
  const timed = (ms, toolCall, parts) => ({ ...step(parts), performance: { toolExecutionMs: { [toolCall.toolCallId]: ms } } });
  const [a, b, c] = [call("shell", {}), call("shell", {}), call("shell", {})];
  const first = timed(1, a, failed(a, "no"));
  const verdict = await gate.judgeSteps([first]);
  assert.deepEqual([verdict.action, verdict.actions.map(({ policyId }) => policyId)], ["feedback", [id]]);
  const second = await gate.judgeSteps([first, timed(1, b, failed(b, "no"))]);
  assert.deepEqual([second.action, second.asks, second.by], ["stop", true, "guardrail"]);
  assert.match(second.reason, /retries_exhausted/);
  assert.match((await gate.judgeSteps([timed(51, c, done(c, 1))])).reason, /too slow/);
  const steps = [1, 2, 3].map(() => step([], "stop"));
  assert.match((await gate.judgeSteps(steps)).reason, /few tokens left/);
  // Without a measured time, the gate asks a human.
  assert.match((await gate.judgeSteps([step(done(c, 1))])).reason, /elapsed_missing/);
});

test("a call needs no check, because nothing can have been checked before it", async () => {
  const policy = { policy: "calls", version: "1.0.0" };
  for (const [callPolicy, action, rules] of [
    [policy, "allow", []],
    [{ ...policy, profile: "oa06.1", review: "optional" }, "allow", []],
    // Before a call there are neither reviews nor results.
    [{ ...policy, profile: "oa06.1" }, "ask", ["unreviewed"]],
    [{ ...policy, required_validators: ["unit"] }, "deny", ["hard_failure"]],
  ]) {
    const gate = await createGate(engine, { tools: TOOLS, callPolicy });
    const verdict = await gate.judgeCall(call("write_file", { path: "a" }));
    assert.deepEqual([verdict.action, verdict.evaluation.findings.map(({ rule }) => rule)], [action, rules]);
  }
});

test("a step without the result of a check stops for a human", async () => {
  const written = step(done(call("write_file", { path: "a" }), "ok"));
  const policy = { policy: "steps", version: "1.0.0" };
  const exit = (code) => (found) => ({ ...found, validation: { ...found.validation, exit_codes: { unit: code } } });
  for (const [options, action, rules] of [
    [{}, "stop", ["unchecked"]],
    [{ stepPolicy: policy }, "stop", ["unchecked"]],
    [{ stepPolicy: { ...policy, profile: "oa06.1" } }, "stop", ["unchecked", "unreviewed"]],
    [{ stepPolicy: { ...policy, profile: "oa06.1", required_validators: [] } }, "stop", ["unreviewed"]],
    [{ stepPolicy: PLAIN_POLICY }, "continue", []],
    [{ evidence: exit(0) }, "continue", []],
    [{ evidence: (found) => ({ ...found, required_validators: [] }) }, "continue", []],
  ]) {
    const gate = await createGate(engine, { tools: TOOLS, ...options });
    const verdict = await gate.judgeSteps([written]);
    assert.deepEqual([verdict.action, verdict.asks], [action, action === "stop"], verdict.reason);
    assert.deepEqual(verdict.evaluation.findings.map(({ rule }) => rule), rules);
  }
  const red = await createGate(engine, { tools: TOOLS, evidence: exit(1) });
  assert.notEqual((await red.judgeSteps([written])).status, "success");
});

test("the list of failed calls is an artifact, and no review of the work", async () => {
  const stepPolicy = { policy: "steps", version: "1.0.0", profile: "oa06.1", required_validators: [] };
  const [bad, good] = [step(failed(call("shell", {}), "no")), step(done(call("shell", {}), "ok"))];
  const after = async (evidence, ...steps) => {
    const gate = await createGate(engine, { tools: TOOLS, stepPolicy, ...(evidence && { evidence }) });
    return gate.judgeSteps(steps);
  };
  const rules = ({ evaluation }) => evaluation.findings.map(({ rule }) => rule);
  assert.deepEqual(rules(await after(undefined, bad)), ["review_issue"]);
  assert.deepEqual(rules(await after(undefined, bad, good)), ["unreviewed"]);
  assert.deepEqual(rules(await after((found) => ({ ...found, artifacts: ["a.log"] }), bad)), ["missing_artifact", "review_issue"]);
  // A review by others counts until the next success, in any step.
  const artifacts = ({ artifacts }) => [...artifacts, "review.md"];
  const reviewed = (found, { finishReason }) =>
    finishReason === "stop"
      ? found
      : { ...found, artifacts: artifacts(found), review: { artifact_ref: "review.md", issues: found.review?.issues ?? [] } };
  const last = step([], "stop");
  assert.deepEqual(rules(await after(reviewed, bad, last)), []);
  assert.deepEqual(rules(await after(reviewed, good, last)), ["unreviewed"]);
});

test("evidence of the caller's counts", async () => {
  const stepPolicy = { policy: "tested", version: "1.0.0", required_validators: ["unit"] };
  let exit = 0;
  const evidence = (found) => ({ ...found, validation: { ...found.validation, exit_codes: { unit: exit } } });
  const gate = await createGate(engine, { tools: TOOLS, stepPolicy, evidence });
  assert.equal((await gate.judgeSteps([step([], "stop")])).action, "continue");
  exit = 1;
  assert.equal((await gate.judgeSteps([step([], "stop")])).status, "blocked");
  // The function's result is the evidence. Without one, the gate fails closed.
  for (const nothing of [() => undefined, () => null, async (found) => found]) {
    const forgetful = await createGate(engine, { tools: TOOLS, evidence: nothing });
    assert.equal((await forgetful.judgeSteps([step([], "stop")])).by, "fault");
  }
  const without = await createGate(engine, { tools: TOOLS, stepPolicy });
  assert.equal((await without.judgeSteps([step([], "stop")])).action, "stop");
});

test("a parsed policy and a module judge as well, until they are freed", async () => {
  const policy = engine.policy(CALL_POLICY);
  const ended = [[engine, { tools: TOOLS, callPolicy: policy, stepPolicy: policy }, () => policy.free()]];
  for (const options of existsSync(engineFile) ? [{}, { deadlineMs: 60_000 }] : []) {
    const module = await loadModule(readFileSync(engineFile), options);
    ended.push([module, { ...OPTIONS, stepPolicy: CALL_POLICY }, () => module.dispose()]);
  }
  for (const [judge, options, end] of ended) {
    const gate = await createGate(judge, options);
    const forbidden = call("write_file", { path: "deploy/a" });
    assert.equal((await gate.judgeCall(forbidden)).by, "policy");
    assert.equal((await gate.judgeCall(call("read_file", { path: "a" }))).action, "allow");
    assert.equal((await gate.judgeSteps([step(done(forbidden, 1))])).status, "unsafe");
    end();
    assert.equal((await gate.judgeCall(call("write_file", { path: "a" }))).by, "fault");
  }
});

test("the client answers for its paths only", async () => {
  const { client } = await createGate(engine, OPTIONS);
  assert.deepEqual(await client.evaluate("adjudicate/tools", {}), { tools: Object.keys(TOOLS) });
  assert.deepEqual(await client.evaluate("adjudicate/call", { tool: { name: "shell" }, args: { command: "rm a" } }), {
    decision: "requires-approval",
    reason: "something is removed",
  });
  for (const input of [undefined, null, {}, { tool: "shell" }]) {
    assert.equal((await client.evaluate("adjudicate/call", input)).decision, "deny");
  }
  await assert.rejects(client.evaluate("agent/call/decision", {}), { code: "wrong_usage" });
});

test("the entry is small, and carries no engine", () => {
  for (const file of ["index.js", "index.cjs"]) {
    const text = readFileSync(installedFile(folder, "dist", "ai", file), "utf8");
    assert.ok(text.length < 60_000, `${file}: ${text.length}`);
    assert.doesNotMatch(text, /WebAssembly|["']ai["']/, file);
  }
  assert.equal(typeof forms.require.ai.createGate, "function");
});

/** Runs that continue after an approval, and the context of guardrails. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { FOR_GUESTS, OPTIONS, PLAIN_POLICY, STEP_POLICY, TOOLS, call, done, failed, step } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const { main, ai } = (await bothForms(install())).import;
const { createGate } = ai;
const engine = main.createEngineSync();

/** A guardrail that retries a failed call twice. */
const RETRIES = [{ id: "again", trigger: { kind: "onValidationFail", selector: { capabilityId: "shell" } }, action: { type: "retry", maxAttempts: 2 } }];

test("a run that continues after steps keeps their retries", async () => {
  const gate = await createGate(engine, { tools: TOOLS, guardrails: RETRIES, stepPolicy: PLAIN_POLICY });
  const attempt = () => step(failed(call("shell", { command: "make" }), "exit 2"));
  const earlier = [attempt(), attempt()];
  const used = await gate.judgeSteps([...earlier, attempt()]);
  const resumed = gate.after(earlier);
  const next = [attempt()];
  const verdict = await resumed.judgeSteps(next);
  assert.deepEqual([verdict.reason, verdict.actions], [used.reason, used.actions]);
  const fresh = await gate.judgeSteps([attempt()]);
  assert.notDeepEqual(verdict.actions, fresh.actions);
  // A run can continue more than once.
  const twice = await gate.after(earlier.slice(0, 1)).after(earlier.slice(1)).judgeSteps(next);
  assert.deepEqual(twice, verdict);
  assert.equal(await resumed.stopWhen({ steps: next }), verdict.action === "stop");
});

test("a run that continues has the history of its policy", async () => {
  const gate = await createGate(engine, { ...OPTIONS, stepPolicy: STEP_POLICY });
  const attempt = (command) => step(failed(call("shell", { command }), "exit 2"));
  const earlier = [attempt("make")];
  assert.equal((await gate.judgeSteps([attempt("make")])).action, "feedback");
  const { action, asks } = await gate.after(earlier).judgeSteps([attempt("make")]);
  assert.deepEqual([action, asks], ["stop", true]);
});

test("a failure in the earlier steps stops the run that continues", async () => {
  const gate = await createGate(engine, { tools: TOOLS, stepPolicy: PLAIN_POLICY });
  for (const earlier of [[null], [step([{ type: "unknown" }])], [{}]]) {
    const { action, by } = await gate.after(earlier).judgeSteps([step(done(call("read_file", {}), "ok"))]);
    assert.deepEqual([action, by], ["stop", "fault"]);
  }
  for (const steps of [undefined, null, {}, "steps"]) assert.throws(() => gate.after(steps), { code: "wrong_usage" });
  assert.equal((await gate.after([step([], "stop")]).judgeSteps([])).by, "fault");
});

test("guardrails after a step see the context of the run", async () => {
  const gate = await createGate(engine, { tools: TOOLS, ...FOR_GUESTS });
  const finished = (more) => [{ ...step(done(call("read_file", { path: "a" }), "ok")), ...more }];
  for (const [more, action] of [
    [{ runtimeContext: { role: "guest" } }, "stop"],
    [{ experimental_context: { role: "guest" } }, "stop"],
    [{ runtimeContext: { role: "owner" } }, "continue"],
    [{}, "continue"],
  ]) {
    assert.equal((await gate.judgeSteps(finished(more))).action, action, JSON.stringify(more));
  }
  const context = () => {
    throw new Error("no context");
  };
  const broken = await createGate(engine, { tools: TOOLS, ...FOR_GUESTS, context });
  const { action, by, reason } = await broken.judgeSteps(finished({}));
  assert.deepEqual([action, by], ["stop", "fault"], reason);
});

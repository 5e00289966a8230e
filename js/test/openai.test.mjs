/** Whole runs of the OpenAI Agents SDK with a gate and mock models, imported and required. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { entryTests } from "./support/entry.mjs";
import { OPTIONS, PLAIN_POLICY, TOOLS, toolbox } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const require = createRequire(import.meta.url);
const forms = await bothForms(install());

const PAIRS = [["imported", forms.import, await import("@openai/agents-core")], ["required", forms.require, require("@openai/agents-core")]];

const message = (text) => ({ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] });
const asks = (callId, name, input) => ({ type: "function_call", callId, name, status: "completed", arguments: typeof input === "string" ? input : JSON.stringify(input) });

/** A model that returns the given items in order, and then ends. It stores its inputs. */
function scripted({ Usage }, turns) {
  const sent = [];
  const rest = [...turns];
  return {
    sent,
    getResponse: async ({ input }) => {
      sent.push(structuredClone(input));
      return { usage: new Usage(), output: rest.shift() ?? [message("done")] };
    },
    async *getStreamedResponse() {
      throw new Error("not used");
    },
  };
}

/** An agent with guarded tools, and their effects. */
async function agentOf({ main, openai }, sdk, turns, options = {}, more = {}) {
  const heard = [];
  const parameters = { type: "object", properties: {}, additionalProperties: true };
  const { ran, tools } = toolbox((name, execute) => sdk.tool({ name, description: name, strict: false, parameters, execute, ...more[name] }));
  const gate = await openai.createGate(main.createEngineSync(), { ...OPTIONS, stepPolicy: PLAIN_POLICY, onVerdict: (verdict) => heard.push(verdict), ...options });
  const model = scripted(sdk, turns);
  const agent = new sdk.Agent({ name: "editor", model, tools: gate.guard(tools), outputGuardrails: [gate.outputGuardrail] });
  const runner = new sdk.Runner({ tracingDisabled: true });
  const run = (input, given) => runner.run(agent, input, given);
  return { agent, gate, heard, model, ran, run, tools };
}

const sentLast = (model) => JSON.stringify(model.sent.at(-1));

for (const [name, forms, sdk] of PAIRS) {
  entryTests(name, forms.main.createEngineSync(), async (turns, options, judge) => {
    const made = judge === undefined ? forms : { ...forms, main: { createEngineSync: () => judge } };
    const { agent, heard, model, ran, run } = await agentOf(made, sdk, turns.map((calls) => calls.map((one) => asks(...one))), options);
    let ended;
    const goOn = async (input) => {
      try {
        ended = await run(input);
        return ended.interruptions.length > 0 ? "waits" : "ends";
      } catch (error) {
        assert.ok(error instanceof sdk.OutputGuardrailTripwireTriggered, error.stack);
        return "stops";
      }
    };
    const answer = async (approved) => {
      // The answer also counts after a restart.
      const state = await sdk.RunState.fromString(agent, ended.state.toString());
      const [item] = state.getInterruptions();
      if (approved) state.approve(item);
      else state.reject(item, { message: "not today" });
      return goOn(state);
    };
    return { ran, heard, go: () => goOn("go"), answer, sent: () => sentLast(model) };
  });

  test(`${name}: a call runs only with the approval by a human, in every order of the guardrails`, async () => {
    const rm = asks("1", "shell", { command: "rm a" });
    const { agent, gate, ran, tools, model } = await agentOf(forms, sdk, [[rm], [rm]]);
    // The guardrails run before the human is asked.
    const before = new sdk.Runner({ tracingDisabled: true, toolExecution: { preApprovalInputGuardrails: true } });
    const { interruptions, state } = await before.run(agent, "go");
    assert.deepEqual([ran, interruptions.length], [[], 1]);
    state.approve(interruptions[0]);
    await before.run(agent, state);
    assert.equal(ran.length, 1);
    // Without `needsApproval`, the guardrail rejects the call.
    ran.length = 0;
    const bare = tools.map((tool) => ({ ...tool, inputGuardrails: [gate.inputGuardrail] }));
    const other = new sdk.Agent({ name: "bare", model: scripted(sdk, [[rm]]), tools: bare });
    const result = await before.run(other, "go");
    assert.deepEqual([ran, result.interruptions.length], [[], 0]);
    assert.ok(JSON.stringify(result.output).includes("a human must approve this call first"));
    assert.ok(model.sent.length > 0);
  });

  test(`${name}: the tool's own approval and guardrails still count`, async () => {
    const rejecting = sdk.defineToolInputGuardrail({ name: "own", run: async () => ({ behavior: { type: "rejectContent", message: "own reason" } }) });
    const turn = [asks("1", "read_file", { path: "a" }), asks("2", "write_file", { path: "b" })];
    const { ran, run, agent } = await agentOf(forms, sdk, [turn], {}, { read_file: { needsApproval: true }, write_file: { inputGuardrails: [rejecting] } });
    const { interruptions } = await run("go");
    assert.deepEqual([ran, interruptions.map((item) => item.rawItem.callId)], [[], ["1"]]);
    assert.equal(agent.tools.length, 4);
    const failing = await agentOf(forms, sdk, [turn], {}, {
      read_file: {
        needsApproval: async () => {
          throw new Error("broken");
        },
      },
    });
    await assert.rejects(failing.run("go"));
    assert.ok(failing.ran.every(([tool]) => tool !== "read_file"));
  });

  test(`${name}: the parsed input of a tool is judged, not only the model's text`, async () => {
    const { z } = await import("zod");
    const write = { strict: true, parameters: z.object({ path: z.string().trim() }) };
    const { ran, run } = await agentOf(forms, sdk, [[asks("1", "write_file", { path: " deploy/a" }), asks("2", "write_file", { path: " src/a" })]], {}, { write_file: write });
    await run("go");
    assert.deepEqual(ran, [["write_file", { path: "src/a" }]]);
  });

  test(`${name}: calls with odd arguments do not run`, async () => {
    const odd = ["", "{", "[]", "null", "1", '"deploy/a"', '{"path":1}', "{}", '{"__proto__":{"path":"src/a"}}', '{"path":"src/a","path":"deploy/a"}', '{"path":["src/a"]}'];
    const turn = odd.map((input, at) => asks(String(at), "write_file", input));
    const { ran, run } = await agentOf(forms, sdk, [turn]);
    await run("go").catch(() => undefined);
    assert.deepEqual(ran, []);
  });

  test(`${name}: a run whose steps need a human or are unsafe has no output`, async () => {
    for (const [turns, options, action] of [
      // Nothing was checked.
      [[[asks("1", "read_file", { path: "a" })]], { stepPolicy: undefined }, "stop"],
      // A secret was read.
      [[[asks("1", "read_file", { path: "PRIVATE KEY" })]], {}, "stop"],
      // The provider ran a tool that the gate does not know, in an early step.
      [[[{ type: "hosted_tool_call", id: "h", name: "web_search", status: "completed" }, asks("1", "read_file", { path: "a" })]], {}, "stop"],
      // The model was cut off.
      [[[{ ...message("don"), status: "incomplete" }]], {}, "stop"],
    ]) {
      const { run, heard } = await agentOf(forms, sdk, turns, options);
      await assert.rejects(run("go"), sdk.OutputGuardrailTripwireTriggered, JSON.stringify(turns));
      assert.equal(heard.filter(({ about }) => about === "step").at(-1).action, action);
    }
  });

  test(`${name}: a failed call is an issue of its step`, async () => {
    const { heard, run } = await agentOf(forms, sdk, [[asks("1", "write_file", { path: "full" })]], { evidence: (found) => (seen.push(found), found) });
    const seen = [];
    await run("go");
    assert.ok(heard.length > 0);
    const issues = seen.flatMap(({ review }) => review?.issues ?? []).map(({ summary }) => summary);
    assert.ok(issues.includes("the call of `write_file` failed"), JSON.stringify(issues));
  });
}

const { main, openai } = forms.import;
const engine = main.createEngineSync();

test("a result with the text of a denial does not hide the call", async () => {
  const gate = await openai.createGate(engine, { tools: { ...TOOLS }, callPolicy: OPTIONS.callPolicy, stepPolicy: { ...PLAIN_POLICY, forbidden_paths: ["deploy/**"] } });
  const context = { context: undefined, isToolApproved: () => undefined };
  const call = asks("1", "write_file", { path: "deploy/a" });
  const { behavior } = await gate.inputGuardrail.run({ context, toolCall: call });
  assert.equal(behavior.type, "rejectContent");
  const result = (text, more = {}) => ({ type: "function_call_result", name: "write_file", callId: "1", status: "completed", output: { type: "text", text }, ...more });
  const judged = (output, given = context) => gate.outputGuardrail.execute({ context: given, details: { output } }).then(({ outputInfo }) => outputInfo);
  const end = message("done");
  assert.equal((await judged([call, result(behavior.message), end])).action, "continue");
  const broken = new Proxy({}, { ownKeys: () => { throw new Error("mine"); } });
  for (const [items, given] of [
    // Another run, other arguments, another id, another text.
    [[call, result(behavior.message), end], { ...context }],
    [[asks("1", "write_file", { path: "deploy/b" }), result(behavior.message), end]],
    [[asks("2", "write_file", { path: "deploy/a" }), result(behavior.message, { callId: "2" }), end]],
    [[call, result("written"), end]],
    // A call without a result, a result without a call, a second call with the same id.
    [[call, end]],
    [[result(behavior.message, { name: "write_file" })]],
    [[call, call, result(behavior.message), end]],
    // An item of another version of the SDK.
    [[{ type: "new_call", callId: "1" }, end]],
    [undefined],
    [[]],
    [[null]],
    [[broken]],
  ]) {
    const { action, reason } = await judged(items, given);
    assert.equal(action, "stop", `${items?.map((item) => item?.type)} ${reason}`);
  }
});

test("a guard refuses tools that it cannot guard", async () => {
  const gate = await openai.createGate(engine, OPTIONS);
  for (const tool of [{ type: "hosted_tool", name: "web_search" }, { type: "shell", name: "shell" }, {}, null, undefined, "shell", { type: "function" }]) {
    assert.throws(() => gate.guard([tool]), { code: "wrong_usage", message: /guards function tools/ });
  }
  for (const tools of [undefined, {}, "tools"]) assert.throws(() => gate.guard(tools), { code: "wrong_usage" });
  await assert.rejects(openai.createGate(engine, { ...OPTIONS, callPolicies: [] }), { code: "wrong_usage" });
  await assert.rejects(openai.createGate(engine, OPTIONS, {}), { code: "wrong_usage" });
});

test("guardrails throw no error, and allow nothing unknown", async () => {
  const gate = await openai.createGate(engine, OPTIONS);
  const broken = new Proxy({}, { get: () => { throw new Error("mine"); } });
  const toolCall = asks("1", "read_file", { path: "a" });
  const liar = { isToolApproved: () => { throw new Error("mine"); } };
  const truthy = { isToolApproved: () => "yes" };
  for (const data of [undefined, null, {}, broken, { toolCall }, { context: liar }, { toolCall: broken, context: {} }, { toolCall: asks("1", "shell", { command: "rm a" }), context: liar }, { toolCall: asks("1", "shell", { command: "rm a" }), context: truthy }, { toolCall: { ...toolCall, arguments: { path: "a" } }, context: {} }]) {
    assert.equal((await gate.inputGuardrail.run(data)).behavior.type, "rejectContent");
    assert.equal((await gate.outputGuardrail.execute(data ?? {})).tripwireTriggered, true);
  }
  assert.equal((await gate.inputGuardrail.run({ toolCall, context: {} })).behavior.type, "allow");
});

/** Whole runs of the AI SDK with a gate and mock models: versions 7 and 6, imported and required. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { opaCapabilityMiddleware, opaPolicy } from "@ai-sdk/policy-opa";

import { entryTests } from "./support/entry.mjs";
import { FOR_GUESTS, OPTIONS, STEP_POLICY, TOOLS, toolbox } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const require = createRequire(import.meta.url);
const forms = await bothForms(install());

/** Every pair of a form of this package and a form of the SDK. */
const NEWER = [
  ["imported, AI SDK 7", forms.import, await import("ai"), await import("ai/test")],
  ["required, AI SDK 7", forms.require, require("ai"), require("ai/test")],
];
const OLDER = [
  ["imported, AI SDK 6", forms.import, await import("ai-6"), await import("ai-6/test")],
  ["required, AI SDK 6", forms.require, require("ai-6"), require("ai-6/test")],
];

/** A model that returns the given answers in order, and stores its prompts. */
function scripted({ MockLanguageModelV4, MockLanguageModelV3 }, answers) {
  const Mock = MockLanguageModelV4 ?? MockLanguageModelV3;
  const tokens = { total: 1 };
  let turn = 0;
  const usage = { inputTokens: tokens, outputTokens: tokens };
  const next = () => {
    const content = answers[turn++] ?? [{ type: "text", text: "done" }];
    const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  return new Mock({
    doGenerate: async () => next(),
    doStream: async () => {
      const { content, finishReason } = next();
      const textParts = (delta) => ["text-start", "text-delta", "text-end"].map((type) => ({ type, id: "t", ...(type === "text-delta" && { delta }) }));
      const parts = content.flatMap((part) => (part.type === "text" ? textParts(part.text) : [part]));
      return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }]) };
    },
  });
}

const asks = (id, toolName, input) => ({ type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input) });

/** The tools of a run, by name, and their effects. */
function toolsOf({ tool, jsonSchema }) {
  const inputSchema = jsonSchema({ type: "object" });
  const { ran, tools } = toolbox((name, execute) => [name, tool({ description: name, inputSchema, execute })]);
  return { ran, tools: Object.fromEntries(tools) };
}

/** Returns the last prompt of a model as text. */
const sentLast = (model) => JSON.stringify((model.doGenerateCalls.at(-1) ?? model.doStreamCalls.at(-1)).prompt);

for (const [name, { main, ai }, sdk, mocks] of [...NEWER, ...OLDER]) {
  const { generateText, isStepCount = sdk.stepCountIs } = sdk;
  const engine = main.createEngineSync();
  /** The latest version asks the gate, and older ones the guarded tools. */
  const guarded = (gate, tools) => (sdk.isStepCount === undefined ? { tools: gate.guard(tools) } : { tools, toolApproval: gate.toolApproval });

  entryTests(name, engine, async (turns, options, judge = engine) => {
    const heard = [];
    const gate = await ai.createGate(judge, { ...OPTIONS, stepPolicy: STEP_POLICY, onVerdict: (verdict) => heard.push(verdict), ...options });
    const { ran, tools } = toolsOf(sdk);
    const model = scripted(mocks, turns.map((calls) => calls.map((one) => asks(...one))));
    const messages = [{ role: "user", content: "go" }];
    let request;
    const go = async () => {
      const { prepareStep, stopWhen } = gate;
      const { steps, content, response } = await generateText({ model, ...guarded(gate, tools), prepareStep, stopWhen: [isStepCount(5), stopWhen], messages });
      messages.push(...response.messages);
      request = content.find(({ type, isAutomatic }) => type === "tool-approval-request" && !isAutomatic);
      const { action, asks: isAsking } = await gate.judgeSteps(steps);
      return action !== "stop" ? "ends" : isAsking && request ? "waits" : "stops";
    };
    const answer = (approved) => {
      messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }] });
      return go();
    };
    return { ran, heard, go, answer, sent: () => sentLast(model) };
  });

  test(`${name}: after a failed step the model gets advice, and stops if the advice does not help`, async () => {
    const gate = await ai.createGate(engine, { ...OPTIONS, stepPolicy: STEP_POLICY });
    const { prepareStep, stopWhen } = gate;
    const { ran, tools } = toolsOf(sdk);
    const write = (id) => [asks(id, "write_file", { path: "full" })];
    const model = scripted(mocks, [write("1"), write("2"), write("3"), write("4")]);
    const { steps } = await generateText({ model, ...guarded(gate, tools), prepareStep, stopWhen: [isStepCount(10), stopWhen], prompt: "go" });
    assert.equal(ran.length, 2);
    assert.match(sentLast(model), /Objective: [^]*disk full/);
    const { action, asks: isForPerson } = await gate.judgeSteps(steps);
    assert.deepEqual([action, isForPerson], ["stop", true]);
  });
}

for (const [name, { main, ai }, sdk, mocks] of NEWER) {
  const engine = main.createEngineSync();
  const { generateText, streamText, isStepCount, ToolLoopAgent } = sdk;
  const { toolApproval, stopWhen, prepareStep } = await ai.createGate(engine, { ...OPTIONS, stepPolicy: STEP_POLICY });

  test(`${name}: a tool with its own approval asks a human, even if the gate allows the call`, async () => {
    const wants = [[true, 0], [false, 1], [undefined, 1], [({ path }) => path === "a", 0], [async () => false, 1], [1, 0]];
    const fails = () => {
      throw new Error("broken");
    };
    for (const [needsApproval, times] of [...wants, [fails, 0]]) {
      const { ran, tools } = toolsOf(sdk);
      const model = scripted(mocks, [[asks("1", "read_file", { path: "a" })]]);
      const guarded = { ...tools, read_file: { ...tools.read_file, needsApproval } };
      const { content } = await generateText({ model, tools: guarded, toolApproval, prompt: "go" });
      assert.equal(ran.length, times, String(needsApproval));
      const request = content.find(({ type }) => type === "tool-approval-request");
      if (times === 0 && needsApproval !== fails) assert.match(request.reason, /needs an approval by a human/);
    }
  });

  test(`${name}: without the stop condition there are no tools`, async () => {
    const { ran, tools } = toolsOf(sdk);
    const model = scripted(mocks, [[asks("1", "write_file", { path: "full" })], [asks("2", "write_file", { path: "full" })], []]);
    await generateText({ model, tools, toolApproval, prepareStep, stopWhen: isStepCount(10), prompt: "go" });
    assert.equal(ran.length, 2);
    assert.deepEqual(model.doGenerateCalls.map((call) => (call.tools ?? []).length), [4, 4, 0]);
  });

  test(`${name}: streams and agents go through the same gate`, async () => {
    const { ran, tools } = toolsOf(sdk);
    const turn = [asks("1", "write_file", { path: "deploy/a" }), asks("2", "read_file", { path: "a" })];
    const settings = () => ({ model: scripted(mocks, [turn]), tools, toolApproval, prepareStep, stopWhen: [isStepCount(5), stopWhen] });
    await streamText({ ...settings(), prompt: "go" }).consumeStream();
    await new ToolLoopAgent(settings()).generate({ prompt: "go" });
    assert.deepEqual(ran, [["read_file", { path: "a" }], ["read_file", { path: "a" }]]);
  });

  test(`${name}: the context of the run reaches guardrails after a step`, async () => {
    const gate = await ai.createGate(engine, { tools: TOOLS, ...FOR_GUESTS });
    const model = scripted(mocks, [[asks("1", "read_file", { path: "a" })]]);
    const runtimeContext = { role: "guest" };
    const { steps } = await generateText({ model, tools: toolsOf(sdk).tools, toolApproval: gate.toolApproval, stopWhen: [isStepCount(5), gate.stopWhen], runtimeContext, prompt: "go" });
    assert.deepEqual([steps.length, (await gate.judgeSteps(steps)).reason], [1, "a guest reads this"]);
  });

  test(`${name}: the policy client of the SDK's own package takes the gate`, async () => {
    const { client } = await ai.createGate(engine, { ...OPTIONS, tools: { read_file: TOOLS.read_file, shell: TOOLS.shell } });
    const { ran, tools } = toolsOf(sdk);
    const turn = [asks("1", "read_file", { path: "a" }), asks("2", "shell", { command: "git push" }), asks("3", "shell", { command: "rm a" })];
    const scoped = sdk.wrapLanguageModel({ model: scripted(mocks, [turn]), middleware: opaCapabilityMiddleware({ client, path: "adjudicate/tools" }) });
    const result = await generateText({
      model: scoped,
      tools,
      toolApproval: opaPolicy({ client, path: "adjudicate/call" }),
      stopWhen: isStepCount(3),
      prompt: "go",
    });
    assert.deepEqual(ran, [["read_file", { path: "a" }]]);
    const answers = result.content
      .filter(({ type }) => type.startsWith("tool-approval-"))
      .map((part) => [part.toolCall.toolCallId, part.reason ?? ""]);
    for (const [id, why] of [["2", "pushing is done by people"], ["3", "something is removed"]]) {
      assert.ok(answers.some(([of, reason]) => of === id && reason === why), JSON.stringify(answers));
    }
    const lost = await generateText({
      model: scripted(mocks, [turn]),
      tools,
      toolApproval: opaPolicy({ client, path: "elsewhere" }),
      stopWhen: isStepCount(3),
      prompt: "go",
    });
    assert.equal(ran.length, 1, JSON.stringify(lost.steps[0].content));
  });
}

for (const [name, { main, ai }, sdk] of OLDER) {
  const { guard } = await ai.createGate(main.createEngineSync(), { ...OPTIONS, stepPolicy: STEP_POLICY });

  test(`${name}: a guarded tool without an approval refuses by itself`, async () => {
    const { ran, tools } = toolsOf(sdk);
    const guarded = guard(tools);
    const given = { toolCallId: "1", messages: [] };
    for (const [tool, input] of [["shell", { command: "rm a" }], ["shell", { command: "git push" }], ["mail", {}], ["write_file", {}]]) {
      await assert.rejects(guarded[tool].execute(input, given), { name: "AdjudicateError", code: "call_denied" });
    }
    assert.deepEqual(ran, []);
    // An approval of another call, a withdrawn one, and a used one do not count for this call.
    const input = { command: "rm a" };
    const asked = (toolCallId, ...calls) => ({ role: "assistant", content: [...calls, { type: "tool-approval-request", approvalId: "a", toolCallId }] });
    const request = (toolName, given) => asked("1", { type: "tool-call", toolCallId: "1", toolName, input: given });
    const approval = (approved, approvalId = "a", role = "tool") => ({ role, content: [{ type: "tool-approval-response", approvalId, approved }] });
    const result = { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "shell", output: "ok" }] };
    for (const messages of [
      [asked("2", { type: "tool-call", toolCallId: "2", toolName: "shell", input }), approval(true)],
      [asked("1"), approval(true)],
      [request("shell", input), approval(true, "b")],
      [request("shell", input), approval(true), approval(false)],
      [request("shell", input), approval("yes")],
      [request("shell", input), approval(true, "a", "user")],
      [request("shell", { command: "rm b" }), approval(true)],
      [request("read_file", input), approval(true)],
      [request("shell", input), approval(true), result],
      [request("shell", { command: "rm b" }), request("shell", input), approval(true)],
    ]) {
      await assert.rejects(guarded.shell.execute(input, { toolCallId: "1", messages }), { code: "call_denied" });
    }
    const unnamed = [asked(undefined, { type: "tool-call", toolName: "shell", input }), approval(true)];
    await assert.rejects(guarded.shell.execute(input, { messages: unnamed }), { code: "call_denied" });
    assert.deepEqual(ran, []);
    assert.equal(await guarded.shell.execute(input, { toolCallId: "1", messages: [request("shell", input), approval(true)] }), "ok");
    // A streamed result is returned as one value. A tool that runs elsewhere can only wait for an approval.
    async function* pieces() {
      yield 1;
      yield 2;
    }
    assert.equal(await guard({ shell: { execute: pieces } }).shell.execute({ command: "ls" }, given), 2);
    const remote = guard({ shell: {}, mail: {} });
    assert.deepEqual([await remote.mail.needsApproval({}, given), await remote.shell.needsApproval({ command: "ls" }, given)], [true, false]);
  });
}

/**
 * The package reads own properties only: no answer of a function changes while `Object.prototype` and `Array.prototype` have properties. The
 * table has every exported function, and the test fails for a new one.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { CALL_POLICY, GUARDRAILS, STEP_POLICY, done, step } from "./support/gate.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";
import { PLAN_CALLS, methodOf, methodsOf, operations } from "./support/operations.mjs";
import { counting, each, plausible, polluting, withProto } from "./support/polluted.mjs";
import { module as wasm } from "./support/wasm.mjs";

const folder = install();
const { main, slim, run, ai, openai, hooks } = (await bothForms(folder)).import;
const engine = main.createEngineSync();
const compiled = new WebAssembly.Module(readFileSync(installedFile(folder, "dist", "engine.wasm")));

const text = JSON.stringify(envelope());
const policyText = JSON.stringify(STRICT_POLICY);
const parsed = engine.policy(STRICT_POLICY);
const ANSWER = engine.evaluateText(text, { policy: policyText });
const THEIRS = { origin: "theirs", answer: JSON.parse(ANSWER) };
const bytes = wasm({ reply: `{"ok":${ANSWER}}` });
const module = await main.loadModule(bytes);
const isolated = await main.loadModule(bytes, { deadlineMs: 60_000 });

/** The methods that take an envelope. */
const ON_ENVELOPES = Object.keys(operations).filter((name) => operations[name].policy && name !== "check_policy");

/** The calls of a method of an engine, a module or both: with all options, with some, with none. */
const OPERATIONS = {
  ...Object.fromEntries(
    ON_ENVELOPES.flatMap((name) => [
      [name, [[FAILING], [FAILING, {}], [FAILING, { policy: STRICT_POLICY }], [{}]]],
      [`${name}Text`, [[text], [text, {}], [text, { policy: policyText }]]],
    ]),
  ),
  checkPolicy: [[STRICT_POLICY], [{}]],
  checkPolicyText: [[policyText]],
  ...Object.fromEntries(
    Object.entries(PLAN_CALLS).flatMap(([operation, call]) => [[methodOf(operation), [[call], [{}]]], [`${methodOf(operation)}Text`, [[JSON.stringify(call)]]]]),
  ),
  call: [["evaluate", envelope()], ["evaluate", { envelope: envelope(), policy: STRICT_POLICY }], ["evaluate", {}]],
  callText: [["evaluate", text]],
};
const BATCH = {
  evaluateBatch: [[[envelope(), {}]], [[envelope()], {}], [[envelope()], { policy: STRICT_POLICY }], [[, envelope()]]],
  evaluateBatchText: [[`${text}\n{}`], [text, {}], [text, { policy: policyText }]],
};
const COMPOSE = {
  compose: [[envelope()], [envelope(), {}], [envelope(), { policy: STRICT_POLICY }], [envelope(), { restrict: [STRICT_POLICY, parsed, THEIRS] }], [envelope(), { restrict: [, THEIRS] }], [envelope(), { override: THEIRS }]],
  composeText: [[text], [text, { policy: policyText }], [text, { restrict: [policyText, parsed, { origin: "theirs", answer: ANSWER }] }]],
};
const OPEN = {
  open: [[FAILING], [FAILING, {}], [FAILING, { policy: STRICT_POLICY }], [FAILING, { policy: parsed }]],
  openText: [[text], [text, {}], [text, { policy: policyText }]],
};
const CHANGES = {
  set: [["/run_id", "r"], ["/x-number", 1], ["/evidence/artifacts/0", "a"], ["/evidence/validation", { mechanical_outcome: "completed", exit_codes: { test: 1 }, timeouts: [, 1] }]],
  setText: [["/x-number", "1.0"]],
  remove: [["/x-number"]],
};
const withoutPolicy = (calls) => calls.map(([first, options]) => (options?.policy === undefined ? [first] : [first, { ...options, policy: undefined }]));

/** The methods of each owner, with lists of arguments. */
const owners = {
  engine: [engine, { ...OPERATIONS, ...BATCH, ...COMPOSE, ...OPEN, policy: [[STRICT_POLICY], [{}]], policyText: [[policyText]], dispose: [], [Symbol.dispose]: [] }],
  policy: [
    parsed,
    {
      ...Object.fromEntries(ON_ENVELOPES.flatMap((name) => [name, `${name}Text`]).map((name) => [name, withoutPolicy(OPERATIONS[name])])),
      ...Object.fromEntries(Object.entries({ ...BATCH, ...COMPOSE, ...OPEN }).map(([name, calls]) => [name, withoutPolicy(calls)])),
      ...{ check: [[]], checkText: [[]], free: [], [Symbol.dispose]: [] },
    },
  ],
  open: [engine.open(FAILING, { policy: STRICT_POLICY }), { ...CHANGES, text: [[]], evaluate: [[]], evaluateText: [[]], free: [], [Symbol.dispose]: [] }],
  module: [module, { ...OPERATIONS, dispose: [], [Symbol.dispose]: [] }],
  isolated: [isolated, { ...OPERATIONS, dispose: [], [Symbol.dispose]: [] }],
};

const CALL = { toolName: "write_file", toolCallId: "1", input: { path: "deploy/a" } };
const SILENT = { toolName: "shell", toolCallId: "2", input: { command: "git push" } };
const LOOK = { toolName: "read_file", toolCallId: "3", input: { path: "a" } };
const TOOLS = { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] }, shell: {} };
const open = (toolCall) => ({ type: "tool-call", ...toolCall });
const STEPS = [
  [step(done(CALL, "ok"))],
  [step([open(CALL)])],
  [step([open(SILENT)])],
  [step(done(LOOK, "PRIVATE KEY"))],
  [step(done(LOOK, "ok")), step([])],
  [step([open(LOOK), { type: "tool-approval-request", approvalId: "1", toolCall: LOOK }])],
  [step([{}])],
  [step([, open(LOOK)])],
  [{}],
  [],
];

/** Returns all answers of a gate, in order. */
async function asked(gate) {
  const answers = [];
  for (const toolCall of [CALL, SILENT, LOOK]) {
    answers.push(await gate.judgeCall(toolCall), await gate.toolApproval({ toolCall, tools: { read_file: {} } }));
    answers.push(await gate.client.evaluate("adjudicate/call", { tool: { name: toolCall.toolName }, args: toolCall.input }));
  }
  answers.push(await gate.judgeCall({}), await gate.judgeCall(undefined), await gate.client.evaluate("adjudicate/call", undefined));
  answers.push(await gate.toolApproval({}), await gate.client.evaluate("adjudicate/call", { tool: {} }), await gate.client.evaluate("adjudicate/tools", {}));
  for (const steps of STEPS) {
    const fresh = steps.map((one) => ({ ...one }));
    answers.push(await gate.judgeSteps(fresh), await gate.stopWhen({ steps: fresh }), await gate.prepareStep({ steps: fresh, messages: [] }));
  }
  answers.push(await gate.stopWhen({}), await gate.prepareStep({}), await gate.after(STEPS[0]).judgeSteps([step(done(LOOK, "ok"))]));
  const tools = gate.guard({ write_file: { execute: () => "ran" }, shell: { execute: () => "ran" }, read_file: { execute: () => "ran" } });
  for (const [name, tool] of Object.entries(tools)) {
    const { input } = [CALL, SILENT, LOOK].find(({ toolName }) => toolName === name);
    // A conversation without an answer to the approval request.
    const messages = [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: name, input }, { type: "tool-approval-request", toolCallId: "1", approvalId: "1" }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "1" }] },
    ];
    answers.push(await tool.needsApproval(input, {}), await tool.execute(input, { toolCallId: "1", messages }).catch(({ code }) => code));
  }
  return answers;
}

/** A call that needs the approval of a human. */
const ASKED = { toolName: "shell", toolCallId: "4", input: { command: "rm a" } };
const WRITTEN = [CALL, SILENT, LOOK, ASKED].map((toolCall) => ({ ...toolCall, arguments: JSON.stringify(toolCall.input) }));

/** Returns the answers of the guardrails for the OpenAI Agents SDK, in order. */
async function guarded({ inputGuardrail, needsApproval, outputGuardrail }) {
  const answers = [];
  for (const { toolName, toolCallId, input, arguments: written } of WRITTEN) {
    const toolCall = { type: "function_call", callId: toolCallId, name: toolName, status: "completed", arguments: written };
    for (const context of [{}, Object.create(null)]) answers.push(await inputGuardrail.run({ toolCall, context }));
    answers.push(await needsApproval(toolName)({}, input, toolCallId));
  }
  return [...answers, await inputGuardrail.run({}), await outputGuardrail.execute({})];
}

/** Returns the verdicts of an interceptor on one session, in order. */
async function intercepted({ intercept }) {
  const verdicts = [];
  const context = { spec: "agent-hooks/0.1", sequence: 1, agent: { id: "a" }, session: { id: "s" }, target: {} };
  const calls = WRITTEN.map(({ toolName: name, toolCallId: id, input: args }) => {
    return { ...context, interception_point: "pre_tool_call", tool_call: { id, name, args }, target: args };
  });
  const startup = { ...context, interception_point: "agent_startup", agent_init: { tools_registered: [] } };
  for (const one of [startup, ...calls, { ...context, interception_point: "output" }, {}, { interception_point: "pre_tool_call" }]) verdicts.push(await intercept(one));
  return verdicts;
}

/** A judge without valid answers, and one whose answers inherit their fields. */
const EMPTY_JUDGE = { applyGuardrails: () => ({}), evaluate: () => ({}), refine: () => ({}) };
const GATES = [
  [engine, { tools: TOOLS, guardrails: GUARDRAILS, callPolicy: CALL_POLICY, stepPolicy: STEP_POLICY }],
  [engine, { tools: TOOLS, callPolicy: parsed, stepPolicy: parsed }],
  [engine, { tools: TOOLS }],
  [EMPTY_JUDGE, { tools: TOOLS }],
  [engine, {}],
  [{}, { tools: TOOLS }],
];

/** The start of a run, and its envelopes after a step and two evaluations. */
const { evidence: EVIDENCE, provenance_window: _, ...START } = FAILING;
function folded(started) {
  const ran = { step_id: "build", opcode: "RUN_AGENT", outcome: "completed", diff_summary: "", risk_flags: ["late"], blocker_codes: [] };
  const envelopes = [];
  let next = started.record(ran);
  for (let at = 0; at < 2; at++) {
    envelopes.push(next.envelope(EVIDENCE));
    const evaluation = engine.evaluate(envelopes[at]);
    next = next.take(evaluation, engine.refine(envelopes[at], { evaluation })).record(ran);
  }
  return [...envelopes, next.envelope(EVIDENCE)];
}

/** The functions that the entries export, and the comparable part of each answer. */
const functions = {
  "adjudicate createEngine": [() => main.createEngine()],
  "adjudicate createEngineSync": [() => main.createEngineSync()],
  "adjudicate loadModule": [() => main.loadModule(bytes), () => main.loadModule(bytes, {}), () => main.loadModule(bytes, { deadlineMs: 60_000 }).then(disposed), () => main.loadModule(bytes, { workerUrl: {} })],
  "adjudicate AdjudicateError": [() => new main.AdjudicateError("code", "message"), () => new main.AdjudicateError("c", "m", "/a").toJSON()],
  "adjudicate/slim createEngine": [() => slim.createEngine(compiled)],
  "adjudicate/slim createEngineSync": [() => slim.createEngineSync(compiled)],
  "adjudicate/slim loadModule": [() => slim.loadModule(bytes, slimEngine), () => slim.loadModule(bytes, slimEngine, {})],
  "adjudicate/slim AdjudicateError": [() => new slim.AdjudicateError("code", "message")],
  "adjudicate/run createRun": [{}, { window: 0 }, undefined].map((options) => () => folded(run.createRun(START, options))),
  "adjudicate/run AdjudicateError": [() => new run.AdjudicateError("code", "message")],
  "adjudicate/ai createGate": GATES.map(([judge, options]) => async () => asked(await ai.createGate(judge, options))),
  "adjudicate/ai AdjudicateError": [() => new ai.AdjudicateError("code", "message")],
  "adjudicate/openai createGate": GATES.map(([judge, options]) => async () => guarded(await openai.createGate(judge, options))),
  "adjudicate/openai AdjudicateError": [() => new openai.AdjudicateError("code", "message")],
  "adjudicate/agent-hooks createInterceptor": GATES.map(([judge, options]) => async () => intercepted(await hooks.createInterceptor(judge, options))),
  "adjudicate/agent-hooks AdjudicateError": [() => new hooks.AdjudicateError("code", "message")],
};
const slimEngine = slim.createEngineSync(compiled);
const disposed = (loaded) => (loaded.dispose(), loaded);
/** An open envelope shows its policy only when it is evaluated. */
const evaluated = (value, method) => (["open", "openText"].includes(method) ? value.evaluateText() : value);
const runs = [
  ...Object.entries(owners).flatMap(([owner, [object, calls]]) =>
    Reflect.ownKeys(calls).flatMap((method) => calls[method].map((given, at) => [`${owner}.${String(method)} ${at}`, () => evaluated(object[method](...given), method)])),
  ),
  ...Object.entries(functions).flatMap(([name, calls]) => calls.map((run, at) => [`${name} ${at}`, run])),
];

/** Returns the outcome of a call, as text. */
async function outcomeOf(run) {
  try {
    return JSON.stringify([await run()], (key, value) => (key === "error" ? String(value) : value));
  } catch (error) {
    return error.code === undefined ? `not of this package: ${error.stack}` : `${error.code} at ${error.path}`;
  }
}

/** Returns the outcomes of several calls while a prototype has more properties. Makes the texts afterwards. */
async function pollutedOutcomes(prototype, members, all) {
  const settled = [];
  const keep = async (run) => {
    try {
      const value = await run();
      return () => value;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  };
  await polluting(prototype, members, async () => {
    for (let at = 0; at < all.length; at++) settled[at] = await keep(all[at][1]);
  });
  return Promise.all(settled.map(outcomeOf));
}

/** Returns the calls whose outcomes differ. */
async function others(prototype, members, all, clean) {
  const found = await pollutedOutcomes(prototype, members, all);
  return all.flatMap(([name], at) => (found[at] === clean.get(name) ? [] : [differing(name, found[at], clean.get(name))]));
}

test("every function of the package and every method is in the table", () => {
  const entries = { adjudicate: main, "adjudicate/slim": slim, "adjudicate/run": run, "adjudicate/ai": ai, "adjudicate/openai": openai, "adjudicate/agent-hooks": hooks };
  const exported = Object.entries(entries).flatMap(([entry, names]) => Object.keys(names).map((name) => `${entry} ${name}`));
  assert.deepEqual(Object.keys(functions).sort(), exported.sort());
  for (const [owner, [object, calls]] of Object.entries(owners)) {
    assert.deepEqual(Reflect.ownKeys(calls).map(String).sort(), methodsOf(object).map(String).sort(), owner);
  }
});

test("the methods of a gate are those that this file calls", async () => {
  const gate = await ai.createGate(engine, { tools: TOOLS });
  assert.deepEqual(Object.keys(gate).sort(), ["after", "client", "guard", "judgeCall", "judgeSteps", "prepareStep", "stopWhen", "toolApproval"]);
  assert.deepEqual(Object.keys(gate.client), ["evaluate"]);
});

/** All names in the declarations: options, fields of documents and of answers. */
const declared = [
  ...new Set(
    readdirSync(installedFile(folder, "dist"), { recursive: true })
      .filter((file) => file.endsWith(".d.ts"))
      .flatMap((file) => [...readFileSync(installedFile(folder, "dist", file), "utf8").matchAll(/^\s+(?:readonly )?"?([\w$]+)"?\??:/gm)])
      .map(([, name]) => name),
  ),
];
// JavaScript itself reads these properties of arguments.
const names = declared.filter((name) => !["value", "get", "set", "then"].includes(name));
const toJSON = () => ({ policy: "lax", version: "1.0.0" });
const numbers = { 0: envelope(), 1: STRICT_POLICY, 2: LOOK, length: 3 };

const isInWorker = (name) => /^isolated|^adjudicate loadModule 2$/.test(name);

/** The prototypes with the properties that are added to them. */
const pollutions = [
  ["a plausible value for each option", Object.prototype, plausible(engine)],
  ["true for every name", Object.prototype, each(names, true)],
  ["an object for every name", Object.prototype, each(names, {})],
  ["a function for every name", Object.prototype, each(names, () => ({}))],
  ["toJSON", Object.prototype, { toJSON }],
  ["toJSON, which gives nothing", Object.prototype, { toJSON: () => undefined }],
  ["toJSON of lists", Array.prototype, { toJSON: () => [] }],
  ["numbers", Object.prototype, { 0: numbers[0], 1: numbers[1], 2: numbers[2] }],
  ["numbers of lists", Array.prototype, { 0: numbers[0], 1: numbers[1] }],
];

// This runs before the first test, because the test runner itself reads inherited properties.
const clean = new Map();
for (const [name, run] of runs) clean.set(name, await outcomeOf(run));
const decidedOtherwise = [];
for (const [what, prototype, members] of pollutions) {
  // Node's own workers read inherited options.
  const all = Object.keys(members).length < 200 ? runs : runs.filter(([name]) => !isInWorker(name));
  decidedOtherwise.push([what, await others(prototype, members, all, clean)]);
}
// Text has no properties, and modules use the code of engines.
const withMembers = runs.filter(([name]) => !/Text \d|^module|createEngine/.test(name) && !isInWorker(name));
for (const [member, value] of Object.entries(plausible(engine))) {
  decidedOtherwise.push([`\`${member}\` alone`, await others(Object.prototype, { [member]: value }, withMembers, clean)]);
}

test("the compared answers are decisions: strict policies forbid, and tools do not run", () => {
  assert.ok(names.length > 200, `${names.length}`);
  assert.deepEqual([...clean].filter(([, outcome]) => outcome.startsWith("not of this package")), []);
  assert.match(clean.get("engine.compose 2"), /"unsafe"/);
  assert.match(clean.get("adjudicate/ai createGate 0"), /"deny"/);
  assert.match(clean.get("adjudicate/ai createGate 3"), /wrong_usage|module_invalid_decision/);
});

for (const [what, found] of decidedOtherwise) {
  test(`nothing is decided otherwise with inherited members: ${what}`, () => assert.deepEqual(found, []));
}

test("a member named `__proto__` is a member", async () => {
  for (const run of [
    () => engine.evaluate(envelope(), withProto({}, { policy: STRICT_POLICY })),
    () => engine.compose(envelope(), withProto({}, { override: STRICT_POLICY })),
    () => engine.compose(envelope(), { restrict: [withProto({ origin: "a", answer: {} }, {})] }),
    () => main.loadModule(bytes, withProto({}, { deadlineMs: 1 })),
    () => ai.createGate(engine, withProto({}, { tools: TOOLS })),
    () => ai.createGate(engine, { tools: { a: withProto({}, { changes: null }) } }),
  ]) {
    await assert.rejects(async () => run(), (error) => error.code === "wrong_usage" && error.message.includes("`__proto__`"));
  }
  for (const run of [
    () => engine.evaluate(withProto({}, envelope())),
    () => engine.evaluate(withProto(envelope(), {})),
    () => engine.evaluate(envelope(), { policy: withProto(STRICT_POLICY, {}) }),
    () => engine.policy(withProto(STRICT_POLICY, { version: "2.0.0" })),
    () => ai.createGate(engine, { tools: {}, callPolicy: withProto(CALL_POLICY, {}) }),
  ]) {
    await assert.rejects(async () => run(), (error) => error.code === "unknown_field" || error.path === "/__proto__");
  }
  const changes = () => [withProto({ path: "src/a", change: "modified" }, { path: "src/b" })];
  const gate = await ai.createGate(engine, { tools: withProto({ write_file: { changes } }, {}), callPolicy: CALL_POLICY });
  assert.deepEqual(await gate.judgeCall(CALL).then(({ action, by }) => [action, by]), ["deny", "fault"]);
  assert.equal((await gate.judgeCall({ ...CALL, toolName: "__proto__" })).action, "ask");
  assert.equal((await gate.judgeCall({ ...CALL, toolName: "constructor" })).by, "tools");
});

test("each option is read once", async () => {
  const tools = () => ({ write_file: counted({ changes: TOOLS.write_file.changes, kind: "write" }) });
  const all = [];
  const counted = (options) => {
    const { reads, options: proxy } = counting(options);
    all.push(reads);
    return proxy;
  };
  engine.evaluate(envelope(), counted({ policy: STRICT_POLICY }));
  engine.refine(FAILING, counted({ policy: STRICT_POLICY, evaluation: engine.evaluate(FAILING, { policy: STRICT_POLICY }) }));
  engine.explain(envelope(), counted({ policy: STRICT_POLICY, trace: true }));
  engine.evaluateBatch([envelope()], counted({ policy: STRICT_POLICY }));
  engine.open(envelope(), counted({ policy: STRICT_POLICY }));
  engine.compose(envelope(), counted({ policy: STRICT_POLICY, override: counted({ ...STRICT_POLICY }), restrict: [counted({ ...THEIRS })] }));
  await main.loadModule(bytes, counted({ inputBytes: 1024, workerUrl: counted({ href: "a" }) }));
  const gate = await ai.createGate(engine, counted({ tools: tools(), callPolicy: counted({ ...CALL_POLICY }), root: "/w", outside: "ask", runId: "r" }));
  const { type } = await gate.toolApproval(counted({ toolCall: counted({ ...CALL, input: { path: "/w/src/a" } }), tools: counted({ write_file: counted({ needsApproval: true }) }) }));
  assert.equal(type, "user-approval");
  assert.ok(all.length > 10 && all.every((reads) => Object.keys(reads).length > 0), JSON.stringify(all));
  assert.deepEqual(all.filter((reads) => Object.values(reads).some((count) => count > 1)), []);
});

test.after(() => isolated.dispose());

/** Returns two texts from their first difference on. */
function differing(what, found, clean) {
  const at = Math.max(0, [...clean].findIndex((character, index) => character !== found[index]) - 80);
  return `${what}: ${found.slice(at, at + 240)} instead of ${clean.slice(at, at + 240)}`;
}

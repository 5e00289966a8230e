/** Runs the examples of the README and of all exports, unchanged, and the programs of the book, whose output is compared with the pages. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { transformSync } from "esbuild";

import { FAILING, RULED_POLICY, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile, root } from "./support/installed.mjs";
import { POLICY, configuration, repository } from "./support/repository.mjs";
import { PLAN_CALLS } from "./support/operations.mjs";
import { module } from "./support/wasm.mjs";

const folder = install();
const { main, slim, evaluate, run: runs, ai, openai, langchain, hooks, collect: collections, verdict: verdicts } = (await bothForms(folder)).import;
const json = JSON.stringify;

/** A policy module. */
const MODULE = module({ reply: `{"ok":${main.createEngineSync().evaluateText(json(FAILING))}}` });
const loaded = await main.loadModule(MODULE);

const FILES = {
  "policy.wasm": MODULE,
  "envelopes.ndjson": `${json(envelope())}\n{}\n`,
  "policy.json": json(RULED_POLICY),
  "theirs.json": json(STRICT_POLICY),
  "envelope.json": json(FAILING),
  "plan.json": json(PLAN_CALLS.validate_plan),
  "ledger.json": json(PLAN_CALLS.deliberate),
};

/** The names that examples may use; their output is added to `output`. */
function setting(output) {
  const engine = main.createEngineSync();
  const say = (...words) => output.push(words.join(" "));
  return {
    AdjudicateError: main.AdjudicateError,
    createEngine: main.createEngine,
    createEngineSync: main.createEngineSync,
    createRun: runs.createRun,
    loadModule: main.loadModule,
    fetch: async () => new Response(MODULE),
    module: loaded,
    engine,
    error: new main.AdjudicateError("missing_field", "missing field `run_id`", "/run_id"),
    console: { log: say, error: say },
    process: { cwd: () => "/home/me/project", stdout: { write: say } },
    readFile: async (name) => FILES[name],
    writeFile: async (_, text) => say(text),
    request: { text: async () => json(envelope()) },
    response: { end: say },
    run: async (step) => say(step),
    refineWith: async (objective) => say(objective),
    body: json(FAILING),
    document: { ...RULED_POLICY, routes: { gate: ["ask", "ask"] } },
    envelope: FAILING,
    evidence: FAILING.evidence,
    envelopes: [envelope(), FAILING, {}],
    envelopeText: json(FAILING),
    evaluation: engine.evaluate(FAILING, { policy: RULED_POLICY }),
    ours: RULED_POLICY,
    parsed: engine.policy(STRICT_POLICY),
    policy: RULED_POLICY,
    policyText: json(RULED_POLICY),
    strict: STRICT_POLICY,
    theirs: STRICT_POLICY,
  };
}

/** The names with another value in some files. */
const OTHERWISE = {
  "README.md": ({ engine, envelope }) => ({ theirs: engine.evaluate(envelope) }),
  "module.ts": async () => ({ module: await main.loadModule(MODULE) }),
  "open-envelope.ts": ({ engine, envelope }) => ({ open: engine.open(envelope), pointer: "/run_id", value: '"run-2"', input: { value: "fixed" }, preview: {} }),
  "derived-operations.ts": ({ engine }) => ({ policy: engine.policy(STRICT_POLICY) }),
  "policy.ts": ({ engine }) => ({ policy: engine.policy(STRICT_POLICY) }),
  "slim.ts": () => ({ ...given("engine.wasm"), ...slim }),
  "evaluate.ts": () => ({ ...given("evaluate.wasm"), ...evaluate }),
};

/** The names in examples that read WebAssembly. */
function given(name) {
  const resolve = () => pathToFileURL(installedFile(folder, "dist", name)).href;
  return { fetch: async (url) => new Response(readFileSync(new URL(url))), readFileSync, resolve };
}

/** The names in examples about plans. */
function planned({ engine }) {
  const { validate_plan: call, merge_diagnostics, observe_output } = PLAN_CALLS;
  const { outputContract, output } = observe_output;
  const policies = [{ id: "again", trigger: { kind: "onNodeComplete" }, action: { type: "retry", maxAttempts: 1 } }];
  return {
    ...call,
    facets: [{ name: "score", schema: true, direction: "bidirectional" }],
    payload: engine.validatePlan(call).payload,
    ours: merge_diagnostics.diagnostics,
    output,
    contractText: json(outputContract),
    outputText: json(output),
    policies,
    state: { retries: { again: 0 } },
    body: json(PLAN_CALLS.apply_guardrails),
  };
}

/** The names in examples about planning. */
function deliberated() {
  const { plan, events } = PLAN_CALLS.verify_replay;
  return { subtasks: PLAN_CALLS.normalize_plan.plan, plan, planText: json(plan), events, plan_hash: "sha256:", ledger: PLAN_CALLS.deliberate };
}

/** The names in examples about agents of the AI SDK: one whose model calls one tool, and then ends. */
function agent() {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const turns = [[{ type: "tool-call", toolCallId: "1", toolName: "read_file", input: '{"path":"a.txt"}' }], [{ type: "text", text: "a.txt is empty" }]];
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const content = turns.shift() ?? [{ type: "text", text: "done" }];
      const unified = content[0].type === "tool-call" ? "tool-calls" : "stop";
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
  const inputSchema = jsonSchema({ type: "object" });
  const tools = { read_file: tool({ inputSchema, execute: async () => "" }), write_file: tool({ inputSchema, execute: async ({ path }) => `wrote ${path}` }) };
  const result = { steps: [{ finishReason: "stop", content: [] }] };
  return { generateText, isStepCount, model, tools, prompt: "read a.txt", messages: [{ role: "user", content: "read a.txt" }], result };
}

/** The names in examples about gates. */
async function gated({ engine }) {
  const tools = { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] } };
  const gate = await ai.createGate(engine, { tools });
  const { steps } = agent().result;
  return { ...agent(), createGate: ai.createGate, gate, steps };
}

/** The names in examples about gates of the OpenAI Agents SDK. */
async function gatedForOpenAi({ engine }) {
  const { Agent, Usage, run, tool } = await import("@openai/agents-core");
  const parameters = { type: "object", properties: {}, additionalProperties: true };
  const [name, description, execute] = ["write_file", "Writes a file", async ({ path }) => `wrote ${path}`];
  const tools = [tool({ name, description, parameters, strict: false, execute })];
  const item = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
  const model = { getResponse: async () => ({ usage: new Usage(), output: [item] }) };
  const stepPolicy = { policy: "steps", version: "1.0.0", required_validators: [] };
  const gate = await openai.createGate(engine, { tools: { write_file: {} }, stepPolicy });
  const prompt = "write a.txt";
  return { Agent, run, tool: (options) => tool({ strict: false, ...options }), tools, name, description, parameters, execute, model, gate, createGate: openai.createGate, prompt };
}

/** The names in examples about gates of LangChain. */
async function gatedForLangChain({ engine }) {
  const [{ createAgent, fakeModel, tool, AIMessage }, { MemorySaver }] = await Promise.all([import("langchain"), import("@langchain/langgraph")]);
  const schema = { type: "object", properties: {}, additionalProperties: true };
  const tools = [tool(async ({ path }) => `wrote ${path}`, { name: "write_file", description: "Writes a file", schema })];
  const model = fakeModel().respond(new AIMessage("done"));
  const gate = await langchain.createGate(engine, { tools: { write_file: {} } });
  return { createAgent, createGate: langchain.createGate, model, tools, gate, checkpointer: new MemorySaver() };
}

/** The names in examples about interceptors. */
async function intercepted({ engine }) {
  const interceptor = await hooks.createInterceptor(engine, { tools: {} });
  const context = { spec: "agent-hooks/0.1", interception_point: "output", sequence: 1, agent: { id: "a" }, session: { id: "s" }, target: {} };
  return { createInterceptor: hooks.createInterceptor, interceptor, context };
}

/** The names in examples about collections. */
function collecting() {
  const validators = 'validators: [{id: unit, run: "true"}]\npolicy: policy.yaml\n';
  const directory = repository({ "adjudicate.yaml": configuration(validators), "policy.yaml": POLICY });
  return { ...collections, directory, readFile: async () => '<testsuite name="cart"><testcase name="adds"/></testsuite>' };
}

/** The names in examples about verdicts. */
async function recomputing({ engine }) {
  const verdict = await verdicts.makeVerdict(engine, "evaluate", json(FAILING));
  const keys = [`ed25519:${"0".repeat(64)}`];
  return { ...verdicts, verdict, keys };
}

/** The further names of an example, by words in it. */
const SETTINGS = [
  [/(make|verify|open)Verdict/, recomputing],
  [/\bcollect\(|readReport|await run\(engine/, collecting],
  [/interceptor\.intercept/, intercepted],
  [/createAgent/, gatedForLangChain],
  [/new Agent|gate\.inputGuardrail/, gatedForOpenAi],
  [/\bgate\.|createGate|= gate;/, gated],
  [/validatePlan|mergeDiagnostics|observeOutput|applyGuardrails/, planned],
  [/normalizePlan|verifyReplay|deliberate/, deliberated],
];

/** Returns an example as a function of its setting. In a nested function, it can shadow names of the setting. */
function runnable(code) {
  const plain = code.replaceAll(/^import .*$/gm, "").replaceAll("import.meta.resolve(", "resolve(");
  // Node 20 has no `using`.
  const lowered = transformSync(`async function example() {\n${plain}\n}`, { target: "es2022" }).code;
  return new Function("setting", `with (setting) {\n${lowered}\nreturn example();\n}`);
}

/** Returns the examples of a file, except programs: those have a file name, and run below. */
function examplesIn(path) {
  const found = readFileSync(path, "utf8").matchAll(/(?<!`:\n\n)```js\n([^]*?)```/g);
  return [...found].map(([, code]) => code.replaceAll(/^ *\* ?/gm, "").trim());
}

const sources = readdirSync(join(root, "src"), { recursive: true }).filter((file) => /(?<!\.d)\.ts$/.test(file));
const files = ["README.md", ...sources.map((file) => join("src", file))].map((file) => join(root, file));

for (const path of files) {
  const name = path.replace(/.*[\\/]/, "");
  for (const code of examplesIn(path)) {
    const [first] = code.split("\n");
    test(`${name}: ${first}`, async () => {
      const output = [];
      const usual = setting(output);
      const [, more] = SETTINGS.find(([words]) => words.test(code)) ?? [undefined, OTHERWISE[name]];
      await runnable(code)({ ...usual, ...(await more?.(usual)) });
      if (/console|process|response/.test(code)) assert.notEqual(output.length, 0);
      for (const words of output) assert.doesNotMatch(words, /undefined|\[object/);
    });
  }
}

// The SDK of a page of the book.
symlinkSync(join(root, "node_modules", "ai"), join(folder, "node_modules", "ai"));

const book = join(root, "..", "docs");
const pages = readdirSync(book, { recursive: true }).filter((file) => file.endsWith(".md")).map((file) => join(book, file));
let programs = 0;

for (const [number, path] of [join(root, "README.md"), ...pages].entries()) {
  const page = readFileSync(path, "utf8");
  const place = join(folder, `page-${number}`);
  mkdirSync(place);
  for (const [, name, code] of page.matchAll(/^`([^`\n]+)`:\n\n```\w+\n([^]*?)^```$/gm)) writeFileSync(join(place, name), code);
  for (const [, program, output] of page.matchAll(/^```console\n\$ node (\S+)\n([^]*?)^```$/gm)) {
    programs += 1;
    test(`${path}: ${program}`, () => {
      const printed = execFileSync(process.execPath, [program], { cwd: place, encoding: "utf8" });
      assert.equal(printed.replaceAll(/ +$/gm, ""), output);
    });
  }
}

test("pages have programs", () => assert.ok(programs >= 7, String(programs)));

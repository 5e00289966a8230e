/** The interceptor of AGENT-HOOKS: its verdicts, its sessions, and what it refuses. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { host } from "./support/agent-hooks-host.mjs";
import { OPTIONS, PLAIN_POLICY, TOOLS, failingJudge } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const forms = await bothForms(install());
const { main, hooks } = forms.import;
const engine = main.createEngineSync();
const STEPS = { ...OPTIONS, stepPolicy: { ...PLAIN_POLICY, forbidden_paths: ["deploy/**"] } };

const interceptorOf = (options = {}) => hooks.createInterceptor(engine, { ...STEPS, ...options });

let sequence = 0;
const contextOf = (interception_point, more = {}) => ({
  spec: "agent-hooks/0.1",
  interception_point,
  timestamp: "2026-01-01T00:00:00Z",
  sequence: sequence++,
  agent: { id: "a", framework: "test" },
  session: { id: "s" },
  target: {},
  ...more,
});
const startup = (more) => contextOf("agent_startup", { agent_init: { tools_registered: [] }, ...more });
const before = (name, args, more = {}) => contextOf("pre_tool_call", { tool_call: { id: "1", name, args }, target: args, ...more });
const after = (name, args, value, more = {}) =>
  contextOf("post_tool_call", { tool_call: { id: "1", name, args }, tool_result: { value, is_error: false, ...more }, target: value });
const responded = (finish_reason) => contextOf("post_model_call", { response: { content: null, tool_calls: [], finish_reason } });
const output = () => contextOf("output", { output: { content: "done" } });

/** Returns the verdicts on contexts of one session that has started. */
async function verdicts(options, ...contexts) {
  const { intercept } = await interceptorOf(options);
  await intercept(startup());
  const all = [];
  for (const context of contexts) all.push(await intercept(context));
  return all;
}

test("a call is allowed, denied, or denied until a human approves", async () => {
  for (const [name, args, expected] of [
    ["read_file", { path: "a" }, { decision: "allow" }],
    ["write_file", { path: "src/a" }, { decision: "allow" }],
    ["write_file", { path: "deploy/a" }, { decision: "deny", reason: "adjudicate:unsafe" }],
    ["write_file", { path: "db/1.sql" }, { decision: "deny", reason: "adjudicate:needs_human", approval: {} }],
    ["shell", { command: "git push" }, { decision: "deny", reason: "adjudicate:guardrail", message: "pushing is done by people" }],
    ["shell", { command: "rm a" }, { decision: "deny", reason: "adjudicate:guardrail", message: "something is removed", approval: {} }],
    ["mail", {}, { decision: "deny", reason: "adjudicate:unknown_tool" }],
    ["__proto__", {}, { decision: "deny", reason: "adjudicate:unknown_tool" }],
    ["write_file", {}, { decision: "deny" }],
    ["write_file", { path: ["src/a"] }, { decision: "deny" }],
  ]) {
    const [verdict] = await verdicts({}, before(name, args));
    const { evidence, message, ...rest } = verdict;
    assert.deepEqual({ ...verdict, ...expected }, verdict, `${name} ${JSON.stringify(verdict)}`);
    assert.equal("approval" in rest, "approval" in expected);
    const isJudged = rest.decision === "allow" || /unsafe|needs_human/.test(rest.reason);
    if (isJudged) assert.match(evidence.artefact, /^sha256:[0-9a-f]{64}$/);
    if (rest.reason === "adjudicate:unknown_tool") assert.equal(evidence, undefined);
    if (rest.decision === "deny") assert.ok(message.length > 0);
  }
});

test("the evidence of a verdict is the hash of its evaluation", async () => {
  const heard = [];
  const [verdict] = await verdicts({ onVerdict: (one) => heard.push(one) }, before("write_file", { path: "deploy/a" }));
  const hash = createHash("sha256").update(JSON.stringify(heard[0].evaluation)).digest("hex");
  assert.deepEqual(verdict.evidence, { artefact: `sha256:${hash}` });
});

test("a result is used, used with a warning, or discarded", async () => {
  const read = before("read_file", { path: "a" });
  const [, fine] = await verdicts({}, read, after("read_file", { path: "a" }, "text"));
  assert.equal(fine.decision, "allow");
  const [, secret] = await verdicts({}, read, after("read_file", { path: "a" }, "PRIVATE KEY"));
  assert.deepEqual([secret.decision, secret.reason, secret.approval], ["deny", "adjudicate:guardrail", undefined]);
  const [, failing] = await verdicts({}, read, after("read_file", { path: "a" }, "no such file", { is_error: true }));
  assert.deepEqual([failing.decision, failing.warnings.map(({ reason }) => reason)], ["allow", ["adjudicate:partial"]]);
  assert.match(failing.warnings[0].message, /no such file/);
  const [, unchecked] = await verdicts({ stepPolicy: undefined }, read, after("read_file", { path: "a" }, "text"));
  assert.deepEqual([unchecked.decision, unchecked.approval], ["deny", {}]);
});

test("a result is judged by the arguments that the tool got", async () => {
  const [, verdict] = await verdicts({}, before("write_file", { path: "src/a" }), after("write_file", { path: "deploy/a" }, "ok"));
  assert.deepEqual([verdict.decision, verdict.reason], ["deny", "adjudicate:unsafe"]);
  const [other] = await verdicts({}, { ...before("write_file", { path: "src/a" }), target: { path: "deploy/a" } });
  assert.deepEqual([other.decision, other.reason], ["deny", "runtime_error:invalid_value"]);
});

test("the output of a run leaves it only if no step had to stop", async () => {
  const read = [responded("tool_calls"), before("read_file", { path: "a" }), after("read_file", { path: "a" }, "text")];
  const last = async (options, ...contexts) => (await verdicts(options, ...contexts)).at(-1);
  assert.equal((await last({}, ...read, responded("stop"), output())).decision, "allow");
  assert.equal((await last({}, output())).decision, "allow");
  // A denied call did not run, and the model went on without it.
  assert.equal((await last({}, responded("tool_calls"), before("write_file", { path: "deploy/a" }), responded("stop"), output())).decision, "allow");
  for (const [contexts, reason] of [
    // The host ran a denied call.
    [[responded("tool_calls"), before("write_file", { path: "deploy/a" }), after("write_file", { path: "deploy/a" }, "ok"), responded("stop"), output()], "adjudicate:unsafe"],
    // A call without a result may have run.
    [[responded("tool_calls"), before("read_file", { path: "a" }), { ...before("write_file", { path: "src/a" }), tool_call: { id: "1", name: "write_file", args: { path: "src/a" } } }, responded("stop"), output()], "runtime_error:fault"],
    // The last step failed.
    [[responded("tool_calls"), before("read_file", { path: "a" }), after("read_file", { path: "a" }, "gone", { is_error: true }), output()], "adjudicate:partial"],
    // The model was cut off.
    [[responded("length"), output()], undefined],
    // A tool ran that the gate does not know.
    [[responded("tool_calls"), after("mail", {}, "sent"), responded("stop"), output()], undefined],
  ]) {
    const verdict = await last({}, ...contexts);
    assert.equal(verdict.decision, "deny", JSON.stringify(contexts));
    if (reason) assert.equal(verdict.reason, reason);
  }
  const unchecked = await last({ stepPolicy: undefined }, responded("stop"), output());
  assert.deepEqual([unchecked.decision, unchecked.reason, unchecked.approval], ["deny", "adjudicate:needs_human", {}]);
});

test("input after an output begins another run, and input within a run does not", async () => {
  const bad = [responded("tool_calls"), after("write_file", { path: "deploy/a" }, "ok"), responded("stop")];
  const input = () => contextOf("input", { input: { content: "go", role: "user" } });
  const all = await verdicts({}, input(), ...bad, input(), output(), output(), input(), responded("stop"), output());
  const outputs = [all[5], all[6], all[9]].map(({ decision }) => decision);
  assert.deepEqual(outputs, ["deny", "deny", "allow"]);
});

test("a session must have started, and sessions do not share their runs", async () => {
  const { intercept } = await interceptorOf();
  for (const context of [before("read_file", { path: "a" }), output(), responded("stop")]) {
    assert.equal((await intercept(context)).reason, "adjudicate:unknown_session");
  }
  await intercept(startup());
  await intercept(startup({ session: { id: "t" } }));
  await intercept(after("write_file", { path: "deploy/a" }, "ok"));
  assert.equal((await intercept({ ...output(), session: { id: "t" } })).decision, "allow");
  assert.equal((await intercept({ ...output(), session: { id: "t" }, agent: { id: "b", framework: "test" } })).reason, "adjudicate:unknown_session");
  assert.equal((await intercept(output())).decision, "deny");
  assert.equal((await intercept(contextOf("agent_shutdown", { summary: { reason: "completed" } }))).decision, "allow");
  assert.equal((await intercept(output())).reason, "adjudicate:unknown_session");
  for (let index = 0; index < 10_000; index++) await intercept(startup({ session: { id: `more-${index}` } }));
  assert.equal((await intercept({ ...output(), session: { id: "t" } })).reason, "adjudicate:unknown_session");
});

test("the memory of a session has a bound", async () => {
  const { intercept } = await interceptorOf();
  await intercept(startup());
  let last;
  for (let index = 0; index <= 10_000; index++) last = await intercept(responded("stop"));
  assert.deepEqual([last.decision, last.reason], ["deny", "runtime_error:limit_exceeded"]);
});

test("unknown tools are concerns at the start", async () => {
  const { intercept } = await interceptorOf();
  const { decision, warnings } = await intercept(startup({ agent_init: { tools_registered: ["read_file", "mail"] } }));
  assert.deepEqual([decision, warnings.map(({ reason }) => reason)], ["allow", ["adjudicate:unknown_tool"]]);
});

test("a context that is not of the contract is denied, and throws no error", async () => {
  const { intercept } = await interceptorOf();
  await intercept(startup());
  const good = before("read_file", { path: "a" });
  assert.equal((await intercept(good)).decision, "allow");
  const broken = new Proxy({}, { ownKeys: () => { throw new Error("mine"); } });
  const without = (name) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
  for (const context of [
    ...[undefined, null, 1, "context", [], {}, broken, new Map(), Object.create(good)],
    ...["spec", "interception_point", "agent", "session", "sequence", "target", "tool_call"].map(without),
    ...["agent-hooks/0.2", "agent-hooks/1.0", "", 1].map((spec) => ({ ...good, spec })),
    ...["pre_tool", "PRE_TOOL_CALL", "__proto__", "constructor", 1].map((interception_point) => ({ ...good, interception_point })),
    ...[{}, { id: "" }, { id: 1 }, "s", null].flatMap((one) => [{ ...good, session: one }, { ...good, agent: one }]),
    ...[-1, 1.5, "1", null].map((one) => ({ ...good, sequence: one })),
    ...[{ id: "1", name: "read_file" }, { id: "1", name: "read_file", args: [] }, { id: "1", name: "read_file", args: "{}" }, { id: 1, name: "read_file", args: {} }, { id: "1", name: ["read_file"], args: {} }, null].map((tool_call) => ({ ...good, tool_call })),
    { ...good, tool_call: { ...good.tool_call, args: { path: 1n } } },
    { ...good, target: { path: "\ud800" } },
    { ...after("read_file", { path: "a" }, "x"), tool_result: { value: "x", is_error: "no" } },
  ]) {
    const { decision, reason, message, approval } = await intercept(context);
    assert.deepEqual([decision, approval], ["deny", undefined]);
    assert.match(reason, /^runtime_error:[a-z_]+$/);
    assert.ok(message.length > 0);
  }
});

test("an engine that fails denies, and a code of a module is no other reason", async () => {
  const codes = ["trap", "host_error:approved", "A B", "x".repeat(100), ""];
  for (const code of codes) {
    const { judge, fail } = failingJudge(engine, new hooks.AdjudicateError(code, "broken \ud800"));
    const { intercept } = await hooks.createInterceptor(judge, STEPS);
    await intercept(startup());
    fail();
    for (const context of [before("write_file", { path: "src/a" }), after("write_file", { path: "src/a" }, "ok"), output()]) {
      const { decision, reason, message, approval } = await intercept(context);
      assert.deepEqual([decision, reason, approval], ["deny", code === "trap" ? "runtime_error:trap" : "runtime_error:fault", undefined]);
      assert.ok(message.isWellFormed?.() ?? true);
    }
  }
});

test("options and arguments are checked, and the entry is small", async () => {
  await assert.rejects(hooks.createInterceptor(engine, { tools: TOOLS, sessions: 1 }), { code: "wrong_usage" });
  await assert.rejects(hooks.createInterceptor({}, { tools: TOOLS }), { code: "wrong_usage" });
  const required = await forms.require.hooks.createInterceptor(forms.require.main.createEngineSync(), STEPS);
  const { run_outcome } = await host(required, { input: { content: "hi", role: "user" }, model_script: [{ respond: { content: "hi", tool_calls: [], finish_reason: "stop" } }] });
  assert.equal(run_outcome, "completed");
});

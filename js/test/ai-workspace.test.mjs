/** The options of a gate about paths. The engine decides about the paths themselves, and its corpus has them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { call, done, step } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";

const { main, ai } = (await bothForms(install())).import;
const { createGate } = ai;
const engine = main.createEngineSync();

/** The tools and the policy of the README's example. */
const TOOLS = {
  write_file: { changes: ({ path }) => [{ path, change: "modified" }] },
  remove: { changes: ({ path }) => [{ path, change: "deleted" }] },
  move: { changes: ({ from, to }) => [{ path: to, change: "renamed", from }] },
};
const PATHS = { forbidden_paths: ["deploy/**", ".github/workflows/**"], protected_paths: ["db/**"] };
const POLICY = { policy: "calls", version: "1.0.0", ...PATHS };

async function actions(calls, options = {}) {
  const gate = await createGate(engine, { tools: TOOLS, callPolicy: POLICY, ...options });
  return Promise.all(
    calls.map(async ([toolName, input]) => {
      const { action, by, reason } = await gate.judgeCall(call(toolName, input));
      assert.notEqual(by, "fault", `${toolName} ${JSON.stringify(input)}: ${reason}`);
      return action;
    }),
  );
}

async function assertAll(action, calls, options) {
  const found = await actions(calls, options);
  const others = calls.filter((_, at) => found[at] !== action);
  assert.deepEqual(others, [], `${found.join()} instead of ${action}`);
}

const OUTSIDE = ["../repo/src/a", "/home/u/repo/deploy/a", "src\\a", "C:/repo/src/a", "file:src/a", "~/src/a", "src/a\u0000b"];

/** All changes of a path. */
const everyWay = (path) => [
  ["write_file", { path }],
  ["remove", { path }],
  ["move", { from: path, to: "src/a" }],
  ["move", { from: "src/a", to: path }],
];

test("a path out of the workspace is refused under every policy", async () => {
  const { forbidden_paths, ...others } = POLICY;
  const parsed = engine.policy({ ...POLICY, outside: "allow" });
  const plain = { policy: "calls", version: "1.0.0" };
  for (const callPolicy of [POLICY, others, plain, parsed, engine.policy(plain), { ...POLICY, outside: "refuse" }, null]) {
    await assertAll("deny", OUTSIDE.flatMap(everyWay), { callPolicy });
    await assertAll("allow", everyWay("src/a"), { callPolicy });
  }
});

test("with `outside: ask`, a path out of the workspace asks a human", async () => {
  await assertAll("ask", OUTSIDE.flatMap(everyWay), { outside: "ask" });
  await assertAll("ask", OUTSIDE.flatMap(everyWay), { callPolicy: { ...POLICY, outside: "ask" } });
  await assertAll("ask", OUTSIDE.flatMap(everyWay), { callPolicy: engine.policy(POLICY), outside: "ask" });
  // As in the engine: no list matches the path.
  for (const callPolicy of [{ policy: "calls", version: "1.0.0" }, null]) {
    await assertAll("allow", OUTSIDE.flatMap(everyWay), { outside: "ask", callPolicy });
  }
});

test("with `outside: allow`, a path out of the workspace is matched as if it were inside", async () => {
  for (const options of [{ outside: "allow" }, { callPolicy: { ...POLICY, outside: "allow" } }]) {
    await assertAll("deny", [["write_file", { path: "/deploy/a" }], ["write_file", { path: "../deploy/a" }]], options);
    await assertAll("allow", [["write_file", { path: "/src/a" }], ["write_file", { path: "../src/a" }]], options);
  }
});

test("a root makes only the paths below it relative", async () => {
  const root = "/home/u/repo";
  await assertAll("allow", [["write_file", { path: "/home/u/repo/src/a" }], ["remove", { path: "/home/u/repo/src" }]], { root });
  await assertAll("deny", [["write_file", { path: "/home/u/repo/deploy/a" }], ["remove", { path: "/home/u/repo" }]], { root });
  const outside = ["/home/u/repository/a", "/home/u/repo/../other/a", "/home/u", "../repo/src/a", "/home/u/repo/~/a"];
  await assertAll("deny", outside.map((path) => ["write_file", { path }]), { root });
  await assertAll("ask", outside.map((path) => ["write_file", { path }]), { root, outside: "ask" });
});

test("the gate or the policy can ignore the case of letters", async () => {
  const upper = [["write_file", { path: "Deploy/a" }], ["remove", { path: "DEPLOY" }]];
  await assertAll("allow", upper);
  await assertAll("deny", upper, { callPolicy: { ...POLICY, path_case: "ascii_insensitive" } });
  await assertAll("deny", upper, { path_case: "ascii_insensitive" });
});

test("an option about paths that a gate cannot follow is refused", async () => {
  const create = (options) => createGate(engine, { tools: TOOLS, callPolicy: POLICY, ...options });
  for (const [options, message] of [
    [{ outside: "deny" }, /`outside` is one of ask, refuse, allow, found `deny`/],
    [{ outside: null }, /`outside` is one of ask, refuse, allow, found null/],
    [{ path_case: true }, /`path_case` is one of sensitive, ascii_insensitive, found a boolean/],
    [{ pathCase: "sensitive" }, /did you mean `path_case`/],
    [{ outside: "ask", callPolicy: { ...POLICY, outside: "allow" } }, /`outside` is `ask` in the gate, and `allow` in `callPolicy`: set one/],
    [{ path_case: "sensitive", stepPolicy: { ...POLICY, path_case: "ascii_insensitive" } }, /`ascii_insensitive` in `stepPolicy`/],
    [{ path_case: "ascii_insensitive", callPolicy: engine.policy(POLICY) }, /`callPolicy` is parsed already: set `path_case` in its document/],
  ]) {
    await assert.rejects(create(options), (error) => error.code === "wrong_usage" && message.test(error.message), JSON.stringify(options));
  }
  await create({ outside: "ask", path_case: "sensitive", callPolicy: { ...POLICY, outside: "ask" } });
});

test("steps that changed forbidden paths are no success", async () => {
  const stepPolicy = { ...POLICY, required_validators: [] };
  const gate = await createGate(engine, { tools: TOOLS, stepPolicy });
  const status = async (toolName, input) => (await gate.judgeSteps([step(done(call(toolName, input), "ok"))])).status;
  assert.equal(await status("move", { from: "deploy", to: "old" }), "unsafe");
  assert.equal(await status("write_file", { path: "../repo/src/a" }), "unsafe");
  assert.equal(await status("write_file", { path: "src/a" }), "success");
});

test("a step that changed a path out of the workspace is stopped under every policy", async () => {
  const steps = [step(done(call("write_file", { path: "/etc/x" }), "ok"))];
  const lax = { policy: "steps", version: "1.0.0", required_validators: [] };
  const evidence = (found) => ({ ...found, validation: { ...found.validation, exit_codes: { test: 0 } } });
  for (const [options, action, status] of [
    [{ evidence }, "stop", "unsafe"],
    [{ stepPolicy: lax }, "stop", "unsafe"],
    [{ stepPolicy: engine.policy(lax) }, "stop", "unsafe"],
    [{ stepPolicy: engine.policy({ ...lax, outside: "allow" }) }, "stop", "unsafe"],
    [{ stepPolicy: engine.policy(lax), outside: "allow" }, "continue", "success"],
    [{ stepPolicy: lax, outside: "ask" }, "continue", "success"],
    [{ stepPolicy: { ...lax, outside: "allow" } }, "continue", "success"],
    [{ evidence, outside: "allow" }, "continue", "success"],
    [{ evidence, root: "/etc" }, "continue", "success"],
  ]) {
    const gate = await createGate(engine, { tools: TOOLS, ...options });
    const verdict = await gate.judgeSteps(steps);
    assert.deepEqual([verdict.action, verdict.status], [action, status], `${Object.keys(options)}: ${verdict.reason}`);
    assert.equal(verdict.evaluation.decision.status, status);
  }
});

test("a tool with unknown changes hides no file of another tool", async () => {
  const tools = { ...TOOLS, shell: {} };
  const gate = await createGate(engine, { tools, stepPolicy: { ...POLICY, required_validators: [] } });
  const both = (path) => step([...done(call("write_file", { path }), "ok"), ...done(call("shell", {}), "ok")]);
  assert.equal((await gate.judgeSteps([both("deploy/a")])).status, "unsafe");
  assert.equal((await gate.judgeSteps([both("src/a")])).status, "needs_human");
  assert.equal((await gate.judgeSteps([step(done(call("shell", {}), "ok"))])).status, "needs_human");
});

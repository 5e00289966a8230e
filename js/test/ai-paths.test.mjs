/**
 * The paths of a gate: `root` makes absolute paths below it relative, and no option hides a path out of the workspace. `ai-hostile.test.mjs` has
 * all combinations of `root`, `outside`, `path_case` and policies for calls.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { PLAIN_POLICY, call, done, step } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { placed } from "./support/placed.mjs";

const { main, ai } = (await bothForms(install())).import;
const { createGate } = ai;
const engine = main.createEngineSync();

/** Returns the files of the envelopes that a gate evaluated. */
async function asked(root, files, options = {}, read = (gate, toolCall) => gate.judgeCall(toolCall)) {
  const seen = [];
  const judge = {
    applyGuardrails: (call) => engine.applyGuardrails(call),
    evaluate: (envelope, options) => {
      seen.push(envelope.evidence.diff?.files);
      return engine.evaluate({ ...envelope, evidence: { ...envelope.evidence, diff: { files: [] } } }, options);
    },
    refine: (envelope, { policy }) => engine.refine({ ...envelope, evidence: { ...envelope.evidence, diff: { files: [] } } }, { policy }),
  };
  const tools = { change: { changes: () => files } };
  const gate = await createGate(judge, { tools, root, callPolicy: PLAIN_POLICY, stepPolicy: PLAIN_POLICY, ...options });
  seen.length = 0;
  await read(gate, call("change", {}));
  return seen;
}

const modified = (path) => ({ path, change: "modified" });

test("absolute paths below the root become relative", async () => {
  for (const [root, path, expected] of [
    ["/home/me/repo", "/home/me/repo/src/a", "src/a"],
    ["/home/me/repo/", "/home/me/repo/src/a", "src/a"],
    ["/home/me/repo", "/home/me/repo//src//a", "src/a"],
    ["/home/me/repo", "/home/me/./repo/src/./a", "src/a"],
    ["/home/me/repo", "/home/me/x/../repo/src/a", "src/a"],
    ["/home/me/repo", "/../home/me/repo/src/a", "src/a"],
    ["/home/me/repo", "/home/me/repo/../repo/deploy/a", "deploy/a"],
    ["/home/me/repo", "/home/me/repo/src/../deploy/a", "deploy/a"],
    ["/home//me/repo//", "/home/me/repo/src/a", "src/a"],
    ["/home/me/repo", "/home/me/repo/db/", "db/"],
    ["/home/me/repo", "/home/me/repo/db/.", "db/"],
    ["/home/me/repo", "/home/me/repo/db/a/..", "db/"],
    ["/home/me/repo", "/home/me/repo", "."],
    ["/home/me/repo", "/home/me/repo/", "."],
    ["/home/me/repo", "/home/me/repo/src/..", "."],
    ["/", "/etc/hosts", "etc/hosts"],
    ["/", "/", "."],
    ["C:\\code\\repo", "C:\\code\\repo\\src\\a", "src/a"],
    ["C:\\code\\repo", "c:/code/repo/src/a", "src/a"],
    ["c:/", "C:\\src\\a", "src/a"],
    ["C:/code/repo", "C:\\code\\.\\x\\..\\repo\\db\\", "db/"],
  ]) {
    assert.deepEqual(await asked(root, [modified(path)]), [[modified(expected)]], `${path} below ${root}`);
    assert.equal(placed(path, root, false), expected, "the model of `ai-hostile.test.mjs`");
  }
  // The case of letters counts, unless `path_case` is set.
  for (const [root, path, expected] of [
    ["/Users/me/Repo", "/users/ME/repo/Src/a", "Src/a"],
    ["C:\\Code\\Repo", "c:/code/REPO/a", "a"],
    ["/Users/mé", "/users/MÉ/a", "/users/MÉ/a"],
  ]) {
    assert.deepEqual(await asked(root, [modified(path)], { path_case: "ascii_insensitive" }), [[modified(expected)]], path);
    assert.deepEqual(await asked(root, [modified(path)]), [[modified(path)]], path);
  }
});

test("paths that are not below the root stay as they are", async () => {
  const paths = [
    ...["src/a", "./src/a", ".", "", "../repo/a", "~/a", "file:///home/me/repo/a", "a\u0000b", "src\\a"],
    ...["/home/me/repository/a", "/home/me", "//home/me/repo/a", "///home/me/repo/a", "/HOME/me/repo/a"],
    ...["/home/me/repo/../other/a", "/home/me/repo/src/../../repo2", "/home/me/repo/../..", "/home/me/repo/../../../.."],
    // An ambiguous name is not resolved, because `..` after it could hide it.
    ...["/home/me/repo/src\\a", "/home/me/repo/a\u0000b", "/home/me/repo/\u0000/../a", "/home/me/repo/a\\/../b", "/home/me/repo/a\n"],
    ...["C:\\home\\me\\repo\\a", "\\home\\me\\repo\\a"],
  ];
  const files = paths.map(modified);
  assert.deepEqual(await asked("/home/me/repo", files), [files]);
  for (const path of paths) assert.equal(placed(path, "/home/me/repo", false), path);
  const elsewhere = ["D:\\code\\repo\\a", "C:\\code\\repository", "C:", "C:code", "/code/repo/a", "src\\a", "C:\\code\\repo\\..\\other", "\\\\?\\C:\\code\\repo\\a"].map(modified);
  assert.deepEqual(await asked("C:\\code\\repo", elsewhere), [elsewhere]);
});

test("both names of a rename, and the files of a step, are relative, and nothing else is changed", async () => {
  const files = [{ path: "/w/b", change: "renamed", from: "/w/a", "x-from": "/w/a" }, { change: "added", path: "/w/c", insertions: 3, deletions: 0 }];
  const expected = [{ path: "b", change: "renamed", from: "a", "x-from": "/w/a" }, { change: "added", path: "c", insertions: 3, deletions: 0 }];
  const before = structuredClone(files);
  assert.deepEqual(await asked("/w", files), [expected]);
  assert.deepEqual(await asked("/w", files, {}, (gate, toolCall) => gate.judgeSteps([step(done(toolCall, "ok"))])), [expected]);
  assert.deepEqual(files, before);
  // Without a root, no path becomes relative.
  const [same] = await asked(undefined, files);
  assert.deepEqual(same, before);
});

test("a root must be an absolute path", async () => {
  for (const root of [null, 1, {}, "", ".", "repo", "./repo", "~/repo", "C:", "C:repo", "\\\\host\\share", "//host/share", "/a\u0000b", "/a\\b", "/home/../me", "/home/.", "C:\\a\\..\\b"]) {
    await assert.rejects(createGate(engine, { root, tools: {} }), { code: "wrong_usage", message: /`root`: expected an absolute path/ });
  }
  await createGate(engine, { root: "/home/me/..repo/.git", tools: {} });
});

const TOOLS = { write_file: { changes: ({ path }) => [{ path, change: "modified" }] }, shell: {} };
const POLICY = { policy: "calls", version: "1.0.0", forbidden_paths: ["deploy/**"], required_validators: [] };

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
  const gate = await createGate(engine, { tools: TOOLS, stepPolicy: POLICY });
  const both = (path) => step([...done(call("write_file", { path }), "ok"), ...done(call("shell", {}), "ok")]);
  assert.equal((await gate.judgeSteps([both("deploy/a")])).status, "unsafe");
  assert.equal((await gate.judgeSteps([both("src/a")])).status, "needs_human");
  assert.equal((await gate.judgeSteps([step(done(call("shell", {}), "ok"))])).status, "needs_human");
});

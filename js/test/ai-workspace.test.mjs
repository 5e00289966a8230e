/** A model chooses the paths of its calls: a directory hides no forbidden file, and a path out of the workspace passes no policy. */
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
  make_directory: { changes: ({ path }) => [{ path, change: "added", kind: "directory" }] },
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

test("no directory is deleted or renamed over the head of a forbidden path", async () => {
  const trees = [".", "./", "", "deploy", "deploy/", "./deploy", "src/../deploy", "src/..", ".github", ".github/workflows"];
  await assertAll("deny", trees.filter((path) => path !== "").map((path) => ["remove", { path }]));
  await assertAll("deny", trees.filter((path) => path !== "").map((from) => ["move", { from, to: "old" }]));
  await assertAll("deny", [["move", { from: "src", to: "deploy" }], ["move", { from: "src", to: "deploy/src" }]]);
});

test("a protected directory is deleted or renamed when a human has approved it", async () => {
  await assertAll("ask", [["remove", { path: "db" }], ["move", { from: "db", to: "old" }], ["move", { from: "src", to: "db" }]]);
});

test("a directory that may hold a forbidden file is for a human, and one that holds nothing else is forbidden", async () => {
  await assertAll("ask", [
    ["make_directory", { path: ".github" }],
    ["make_directory", { path: "." }],
    ["write_file", { path: ".github/" }],
    ["write_file", { path: "deploy" }],
    ["write_file", { path: "." }],
  ]);
  await assertAll("deny", [["make_directory", { path: "deploy" }], ["make_directory", { path: "deploy/production" }]]);
});

test("directories and files beside the patterns are free", async () => {
  await assertAll("allow", [
    ["make_directory", { path: "src" }],
    ["remove", { path: "src" }],
    ["remove", { path: "deployment" }],
    ["move", { from: "src", to: "lib" }],
    ["write_file", { path: "src/./a" }],
    ["write_file", { path: "src/../lib/a" }],
  ]);
});

const OUTSIDE = [
  ...["../repo/src/a", "../repo/deploy/a", "src/../../repo/src/a", ".."],
  ...["/home/u/repo/src/a", "/home/u/repo/deploy/a", "/", "//host/share"],
  ...["deploy\\a", "src\\a", "\\deploy\\a", "C:\\repo\\src\\a", "C:/repo/src/a", "c:src"],
  ...["file:///repo/src/a", "file:src/a", "https://example.com/a", "~/src/a", "~root/a"],
  ...["src/a\u0000b", "src/a\nb", "src/\u007f"],
];

test("a path out of the workspace is for a human, whatever it names", async () => {
  const inputs = OUTSIDE.map((path) => ({ path }));
  await assertAll("ask", inputs.map((input) => ["write_file", input]));
  await assertAll("ask", inputs.map((input) => ["remove", input]));
  await assertAll("ask", inputs.map(({ path }) => ["move", { from: path, to: "src/a" }]));
  await assertAll("ask", inputs.map(({ path }) => ["move", { from: "src/a", to: path }]));
});

test("a root brings in what is below it, and nothing else", async () => {
  const root = "/home/u/repo";
  await assertAll("allow", [["write_file", { path: "/home/u/repo/src/a" }], ["remove", { path: "/home/u/repo/src" }]], { root });
  await assertAll("deny", [["write_file", { path: "/home/u/repo/deploy/a" }], ["remove", { path: "/home/u/repo" }]], { root });
  const outside = ["/home/u/repository/a", "/home/u/repo/../other/a", "/home/u", "../repo/src/a", "/home/u/repo/~/a"];
  await assertAll("ask", outside.map((path) => ["write_file", { path }]), { root });
});

test("a path out of the workspace violates no policy that asks for no paths", async () => {
  const callPolicy = { policy: "calls", version: "1.0.0" };
  await assertAll("allow", OUTSIDE.map((path) => ["write_file", { path }]), { callPolicy });
});

test("a policy can refuse paths out of the workspace, and ignore the case of letters", async () => {
  await assertAll("deny", OUTSIDE.map((path) => ["write_file", { path }]), { callPolicy: { ...POLICY, outside: "refuse" } });
  const upper = [["write_file", { path: "Deploy/a" }], ["remove", { path: "DEPLOY" }]];
  await assertAll("allow", upper);
  await assertAll("deny", upper, { callPolicy: { ...POLICY, path_case: "ascii_insensitive" } });
});

test("steps that did it all the same are no success", async () => {
  const stepPolicy = { ...POLICY, required_validators: [] };
  const gate = await createGate(engine, { tools: TOOLS, stepPolicy });
  const status = async (toolName, input) => (await gate.judgeSteps([step(done(call(toolName, input), "ok"))])).status;
  assert.equal(await status("remove", { path: "." }), "unsafe");
  assert.equal(await status("move", { from: "deploy", to: "old" }), "unsafe");
  assert.equal(await status("write_file", { path: "../repo/src/a" }), "needs_human");
  assert.equal(await status("write_file", { path: "src/a" }), "success");
});

/** The program of the package: the runs of `fixtures/commands/cases.json`, which the native command answers alike, and what only a process shows. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { install, installedFile, root } from "./support/installed.mjs";
import { configuration, repository, write } from "./support/repository.mjs";

const PROGRAM = installedFile(install(), "dist", "bin", "adjudicate.cjs");
const CASES = JSON.parse(readFileSync(join(root, "..", "fixtures", "commands", "cases.json"), "utf8"));
const variables = { PATH: env.PATH };

/** Replaces what differs between two runs: the folder, and numbers with nine digits or more. */
function masked(text, folder) {
  return text.replaceAll(folder, "ROOT").replaceAll(/("duration_ms":)\d+|\d{9,}/g, "$1#");
}

/** Returns an output of a case, which is a list if it has several lines, and is left out if it is empty. */
function text(output = "") {
  return [output].flat().join("\n");
}

/** Runs the program in a folder. */
function run(folder, words, input = "", options = {}) {
  const { status, stdout, stderr } = spawnSync(execPath, [PROGRAM, ...words], { cwd: folder, input, env: variables, encoding: "utf8", ...options });
  return { status, stdout: masked(stdout, folder), stderr: masked(stderr, folder) };
}

for (const { name, files, runs } of CASES) {
  test(`${name}: the answers of the native command`, () => {
    const folder = repository(files);
    for (const { arguments: words, files: changed = {}, modes = {}, stdin = "", stdin_repeated: times = 1, status, stdout, stderr } of runs) {
      write(folder, changed);
      for (const [name, mode] of Object.entries(modes)) chmodSync(join(folder, name), mode);
      const expected = { status, stdout: text(stdout), stderr: text(stderr) };
      assert.deepEqual(run(folder, words, stdin.repeat(times).replaceAll("ROOT", folder)), expected, words.join(" "));
    }
  });
}

test("the hook is installed with a line that starts the package, and is tested", () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: []\n") });
  execFileSync("npm", ["install", "--offline", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, installedFile(install())]);
  const options = { env: { ...variables, HOME: folder } };
  // An agent can edit these files, and npx would obey them.
  write(folder, { ".npmrc": "script-shell=/bin/true\n", "package.json": '{"name": "a", "version": "1.0.0", "bin": {"adjudicate": "a.js"}}' });
  for (const agent of ["claude-code", "codex", "cursor", "gemini", "copilot"]) {
    assert.equal(run(folder, ["hook", "install", agent], "", options).status, 0);
    const tested = run(folder, ["hook", "test", agent], "", options);
    assert.deepEqual([tested.status, tested.stderr], [0, ""], agent);
    assert.match(tested.stdout, /adjudicate hook .* refuses/);
  }
});

test("options and commands for modules, slots and servers are refused with a way out", () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: []\n"), "envelope.json": "{}" });
  for (const words of [["serve"], ["install", "a.wasm"], ["mcp"], ["evaluate", "envelope.json", "--module", "a.wasm"], ["hook", "codex", "--via", "unix:/a", "--slot", "a"]]) {
    const { status, stdout, stderr } = run(folder, words, '{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "a", "tool_input": {}}');
    assert.deepEqual([status, stdout], [words[0] === "hook" ? 2 : 64, ""], words.join(" "));
    assert.match(stderr, /this build leaves out .*: install the native command/);
  }
});

test("a signal stops the validators, and no process is left", async () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: [{id: slow, run: sleep 987.5 & sleep 987.5}]\n") }, true);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    const child = spawn(execPath, [PROGRAM, "run", "--format", "json"], { cwd: folder, env: variables });
    const end = new Promise((resolve) => child.on("exit", (...end) => resolve(end)));
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    while (!sleeping()) await pause(50);
    child.kill(signal);
    assert.deepEqual(await end, [0, null]);
    assert.match(output, /"status":"needs_human"/);
    assert.ok(!sleeping());
  }
});

function sleeping() {
  return execFileSync("ps", ["-A", "-o", "stat=,args="], { encoding: "utf8" }).split("\n").some((line) => line.includes("sleep 987.5") && !line.startsWith("Z"));
}

test("a file keeps its permissions, and a closed output ends the program", () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: []\n"), ".claude/settings.json": "{}" });
  execFileSync("chmod", ["600", join(folder, ".claude", "settings.json")]);
  assert.equal(run(folder, ["hook", "install", "claude-code"]).status, 0);
  assert.equal(statSync(join(folder, ".claude", "settings.json")).mode & 0o777, 0o600);
  const closed = spawnSync("bash", ["-c", '"$0" "$1" schema --of envelope | true; echo "${PIPESTATUS[0]}"', execPath, PROGRAM], { cwd: folder, encoding: "utf8" });
  assert.deepEqual([closed.stdout, closed.stderr], ["141\n", ""]);
});

test("an input is the file or the pipe that the system finds under its name", () => {
  const folder = repository({ "inner/file": "", "bad.json": "", "other/bad.json": "{" });
  symlinkSync(join(folder, "other", "inner"), join(folder, "link"));
  write(folder, { "other/inner/file": "" });
  const behindLink = run(folder, ["evaluate", "link/../bad.json"]);
  const line = '"$0" "$1" evaluate <(echo {); echo { | "$0" "$1" evaluate /dev/stdin';
  const piped = spawnSync("bash", ["-c", line, execPath, PROGRAM], { encoding: "utf8" });
  for (const { stderr } of [behindLink, piped]) assert.match(stderr, /^(\{"error":\{"code":"malformed_json","message":"expected a key[^\n]*\n){1,2}$/);
  assert.equal(piped.stderr.split("\n").length, 3);
});

test("a program without its WebAssembly refuses", () => {
  const folder = install();
  execFileSync("rm", [installedFile(folder, "dist", "command.wasm")]);
  const { status, stdout, stderr } = spawnSync(execPath, [installedFile(folder, "dist", "bin", "adjudicate.cjs"), "hook", "codex"], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^adjudicate: the command has no answer, so nothing may pass: .*command\.wasm/);
});

/** The time limit of the package's program. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { test } from "node:test";

import { install, installedFile } from "../support/installed.mjs";
import { configuration, repository } from "../support/repository.mjs";

const PROGRAM = installedFile(install(), "dist", "bin", "adjudicate.cjs");
const CALL = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } });
const files = { "adjudicate.yaml": configuration("policy: policy.yaml\nvalidators: []\n") };

/** Runs the line of a hook, whose input has no end if it is undefined. Returns its exit status and its complaint. */
async function hook(folder, input) {
  const line = '"$0" "$1" hook codex || exit 2';
  const child = spawn("/bin/sh", ["-c", line, execPath, PROGRAM], { cwd: folder, env: { PATH: env.PATH }, timeout: 60_000, killSignal: "SIGKILL" });
  let complaint = "";
  child.stderr.on("data", (part) => (complaint += part));
  if (input !== undefined) child.stdin.end(input);
  child.on("exit", () => child.stdin.destroy());
  const status = await new Promise((resolve) => child.on("close", resolve));
  return [status, complaint.split("\n")[0]];
}

test("a call is denied in time, although the worker waits for an input or a file without an end", async () => {
  const [silent, piped] = [repository(files), repository(files)];
  execFileSync("mkfifo", [join(piped, "policy.yaml")]);
  const denied = [2, "adjudicate: the command has no answer, so nothing may pass: it took too long"];
  assert.deepEqual(await Promise.all([hook(silent), hook(piped, CALL)]), [denied, denied]);
});

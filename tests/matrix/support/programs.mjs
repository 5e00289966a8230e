// Programs of npm packages: run to their end, or kept running while a test needs them.

import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { env, kill } from "node:process";

/** More than any program takes, on any machine. */
const LIMIT_MS = 300_000;

/** No program reports usage, and output is plain. */
const QUIET = { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", DO_NOT_TRACK: "1", NO_COLOR: "1", CI: "true" };

/** Tools keep their configuration and caches in the project, which each run creates. */
const KEPT = { XDG_CONFIG_HOME: ".config", XDG_CACHE_HOME: ".cache" };

function start(tools, folder, [program, ...parameters]) {
  const path = [join(tools, "node_modules/.bin"), env.PATH].join(delimiter);
  const kept = Object.entries(KEPT).map(([name, within]) => [name, join(folder, within)]);
  const given = { ...env, ...QUIET, ...Object.fromEntries(kept), PATH: path };
  // Children must not take part in the protocol of `node --test`.
  delete given.NODE_TEST_CONTEXT;
  delete given.FORCE_COLOR;
  // A process group of its own, so that children of the program end with it.
  return spawn(program, parameters, { cwd: folder, detached: true, env: given, stdio: ["ignore", "pipe", "pipe"] });
}

function end(child) {
  try {
    kill(-child.pid, "SIGKILL");
  } catch {
    // The process has ended already.
  }
}

/** Runs a program in a folder. Returns its stdout. */
export async function run(tools, folder, command) {
  const child = start(tools, folder, command);
  const limit = setTimeout(() => end(child), LIMIT_MS);
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) child[stream].setEncoding("utf8").on("data", (text) => (printed[stream] += text));
  try {
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
    if (code !== 0) throw new Error(`\`${command.join(" ")}\` ended with ${code}:\n${printed.stdout}\n${printed.stderr}`);
    return printed.stdout;
  } finally {
    clearTimeout(limit);
    end(child);
  }
}

/** Runs `use(address)` while a program serves, after it has printed the address. */
export async function serving(tools, folder, command, use) {
  const child = start(tools, folder, command);
  let printed = "";
  try {
    const address = await new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`\`${command.join(" ")}\` does not serve:\n${printed}`)), LIMIT_MS);
      const read = (text) => {
        printed += text;
        const found = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(printed);
        if (found !== null) {
          clearTimeout(limit);
          resolve(found[0]);
        }
      };
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
      child.on("error", reject);
      child.on("close", (code) => reject(new Error(`\`${command.join(" ")}\` ended with ${code}:\n${printed}`)));
    });
    return await use(address);
  } finally {
    end(child);
  }
}

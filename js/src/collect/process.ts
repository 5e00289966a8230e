/** Commands with a time limit, each in a process group of its own. `host/collect/src/process.rs` is the same for Rust. */
import { spawn, type ChildProcess } from "node:child_process";
import { open, realpath, stat, type FileHandle } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, isAbsolute, join, sep } from "node:path";

import { textOf, type MessageFields } from "./module.js";
import type { StopSignal } from "./types.js";

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/** Variables of git that lead to another repository or index than that of the folder. A hook of git inherits them. */
const PLACES_OF_GIT = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_WORK_TREE",
];

// The global object, because an import of `node:process` opens the standard streams, and changes the mode of pipes.
const { env, platform } = process;
const isWindows = platform === "win32";

/** Runs a command. When it has ended, no process of its group is left. */
export async function runCommand(fields: readonly Uint8Array[], signal: StopSignal | undefined): Promise<MessageFields> {
  const command = await commandOf(fields);
  const files = await filesOf(command);
  const started = performance.now();
  let child: ChildProcess;
  try {
    const [output, errors] = files.length === 0 ? (["pipe", "pipe"] as const) : [files[0]!.fd, files.at(-1)!.fd];
    child = spawn(command.program, command.words, {
      cwd: command.folder,
      env: command.environment,
      stdio: [command.input.length > 0 ? "pipe" : "ignore", output, errors],
      detached: !isWindows,
      windowsHide: true,
    });
    await spawned(child);
  } finally {
    for (const file of files) await file.close();
  }
  // If the command does not read it all, its exit code or its output says so.
  child.stdin?.on("error", () => undefined).end(command.input);
  const output = captured(child.stdout, command.maxBytes);
  const errors = captured(child.stderr, command.maxBytes);
  const [end, code] = await ended(child, command.limitMs, command.isStoppable ? signal : undefined);
  const durationMs = Math.trunc(performance.now() - started);
  return ["ended", end, String(code), String(durationMs), await output, await errors];
}

/** Returns a command, as `host/collect/src/wire.rs` writes it. */
async function commandOf(fields: readonly Uint8Array[]) {
  const [folder = "", limit, maxBytes, isStoppable, , output = "", errors = "", count, ...rest] = fields.map(textOf);
  const variables = Number(count) * 2;
  const [kind, ...words] = rest.slice(variables);
  const environment: Record<string, string | undefined> = { ...env };
  for (const name of PLACES_OF_GIT) delete environment[name];
  if (kind === "git") {
    // Others configure git.
    for (const name of Object.keys(environment)) if (name.startsWith("GIT_")) delete environment[name];
  }
  for (let index = 0; index < variables; index += 2) environment[rest[index] ?? ""] = rest[index + 1];
  const [program = "", ...others] =
    kind === "git" ? [await git(folder), ...words] : kind === "shell" ? [...(isWindows ? ["cmd", "/C"] : ["sh", "-c"]), ...words] : words;
  return {
    folder,
    limitMs: Number(limit),
    maxBytes: Number(maxBytes),
    isStoppable: isStoppable !== "",
    input: fields[4] ?? new Uint8Array(),
    output,
    errors,
    environment,
    program,
    words: others,
  };
}

/** Returns git: the first one of the search path that is not below the folder, because an agent may write there. */
async function git(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => folder);
  for (const place of (env.PATH ?? "").split(delimiter).filter(isAbsolute)) {
    const known = await realpath(place).catch(() => place);
    if (known === real || known.startsWith(real.endsWith(sep) ? real : real + sep)) continue;
    const program = join(place, isWindows ? "git.exe" : "git");
    const isFile = await stat(program).then((about) => about.isFile(), () => false);
    if (isFile) return program;
  }
  return "git";
}

/** Opens the files for the standard output and the standard error: none if the outputs are wanted, one for both, or two. */
async function filesOf({ output, errors }: { readonly output: string; readonly errors: string }): Promise<FileHandle[]> {
  const files: FileHandle[] = [];
  for (const path of new Set([output, errors])) if (path !== "") files.push(await open(path, "a"));
  return files;
}

/** Waits for the start. A later error, for example of a process that cannot be ended, rejects nothing. */
async function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => child.on("spawn", resolve).on("error", reject));
}

/** Returns at most one byte more than the limit of an output, and reads the rest, so that a command never waits for a full pipe. */
async function captured(stream: ChildProcess["stdout"], maxBytes: number): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array();
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let left = maxBytes + 1;
    stream.on("data", (part: Uint8Array) => {
      if (left > 0) parts.push(part.subarray(0, left));
      left -= part.length;
    });
    stream.on("error", reject);
    stream.on("close", () => resolve(Buffer.concat(parts)));
  });
}

/** Waits for the end of a command, and ends all processes of its group. */
async function ended(child: ChildProcess, limitMs: number, signal: StopSignal | undefined): Promise<["exited" | "timedOut" | "stopped", number]> {
  const stopGroup = (name: "SIGTERM" | "SIGKILL") => {
    try {
      if (isWindows) child.kill();
      else if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has ended by itself.
    }
  };
  const killGroup = () => stopGroup("SIGKILL");
  return new Promise((resolve) => {
    let cut: "timedOut" | "stopped" | undefined;
    let grace: ReturnType<typeof setTimeout> | undefined;
    const stop = (reason: "timedOut" | "stopped") => {
      if (cut !== undefined) return;
      cut = reason;
      stopGroup("SIGTERM");
      grace = setTimeout(killGroup, GRACE_MS);
    };
    const onAbort = () => stop("stopped");
    const limit = setTimeout(() => stop("timedOut"), limitMs);
    signal?.addEventListener("abort", onAbort);
    // No other process ends the command.
    process.once("exit", killGroup);
    const onExit = (code: number | null, name: NodeJS.Signals | null) => {
      clearTimeout(limit);
      clearTimeout(grace);
      signal?.removeEventListener("abort", onAbort);
      process.off("exit", killGroup);
      // A process that the command left behind could still write reports.
      killGroup();
      resolve([cut ?? "exited", code ?? 128 + (name === null ? 0 : constants.signals[name])]);
    };
    if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
    else child.on("exit", onExit);
    if (signal?.aborted) onAbort();
  });
}

#!/usr/bin/env node
/**
 * The program `adjudicate`: the command as WebAssembly, with the files, processes and streams of this process.
 *
 * The command runs in a worker, because its requests to the operating system wait. This thread answers them, and handles signals.
 */
import { complain, refused, send, worker } from "./start.js";

import { realpathSync } from "node:fs";
import { chmod, open, stat } from "node:fs/promises";
import { isatty } from "node:tty";

import { reasonOf } from "../error.js";
import { joined, split, textOf, type MessageFields } from "../collect/module.js";
import { closing, failure, readAtMost, System, type Call } from "../collect/system.js";
import type { WorkerMessage } from "./worker.js";

const { argv, cwd } = process;

/** The most bytes of a private file. A key has about 120. */
const MAX_PRIVATE_BYTES = 1024;

/** The time between the refusal of all requests and the end of the process. */
const END_MS = 5_000;

const stop = new AbortController();
let system = newSystem();
let timers: ReturnType<typeof setTimeout>[] = [];
/** The answer to each request once the time is over. */
let late = new Promise<MessageFields>(() => {});

/** The requests in addition to those of a collection. */
const CALLS: Readonly<Record<string, Call>> = {
  currentFolder: async () => ["bytes", cwd()],
  program: async () => ["bytes", realpathSync(argv[1] ?? "")],
  columns: async () => {
    // Only of a terminal, as streams of Node change the mode of pipes.
    const columns = isatty(1) ? process.stdout.columns : isatty(2) ? process.stderr.columns : undefined;
    return ["bytes", columns === undefined ? "" : String(columns)];
  },
  listen: async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  },
  limit: async (stopMs, endMs) => {
    timers.forEach(clearTimeout);
    const end = Number(textOf(endMs));
    timers = [setTimeout(() => stop.abort(), Number(textOf(stopMs))), setTimeout(killed, end + END_MS)];
    late = new Promise((resolve) => timers.push(setTimeout(() => resolve(["error", "", "it took too long"]), end)));
  },
  keepMode: async (from, to) => {
    await chmod(textOf(to), (await stat(textOf(from))).mode);
  },
  privateFile: async (path) => ["bytes", await privateFile(textOf(path))],
  end: async () => {
    await system.end();
    system = newSystem();
  },
};

function newSystem(): System {
  return new System(stop.signal, undefined, undefined);
}

/** Ends a process whose worker may wait for the operating system, for example for a pipe. Every other end would wait for the worker. */
function killed(): void {
  complain("it took too long");
  process.kill(process.pid, "SIGKILL");
}

async function answer(message: Uint8Array): Promise<MessageFields> {
  const fields = split(message);
  const [name, ...others] = fields;
  const call = CALLS[textOf(name)];
  if (call === undefined) return Promise.race([system.answer(fields), late]);
  return (await call(...others).catch(failure)) ?? ["done"];
}

/** Reads a key. `SecretKey::read_file` is the same for Rust. */
async function privateFile(path: string): Promise<Uint8Array> {
  return closing(await open(path, "r"), async (file) => {
    const about = await file.stat();
    if (!about.isFile()) throw new Error("it is not a regular file");
    const own = process.geteuid?.();
    if (own === undefined) throw new Error("this system does not report whether the key is accessible to other users");
    if (about.uid !== own) throw new Error("the key belongs to another user");
    if ((about.mode & 0o077) !== 0) throw new Error("the key is accessible to other users");
    const content = await readAtMost(file, MAX_PRIVATE_BYTES + 1);
    if (content.length > MAX_PRIVATE_BYTES) throw new Error("it is too long for a key");
    return content;
  });
}

worker.on("message", (message: WorkerMessage) => {
  if ("status" in message) process.exit(message.status);
  void answer(message.request).then((fields) => send(joined(fields)));
});
worker.on("error", (error) => refused(reasonOf(error)));
worker.on("exit", () => refused("it ended early"));

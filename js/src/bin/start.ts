/** Starts the worker of the program. The program imports this file first, because everything else can load while the worker starts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";

import { reasonOf } from "../error.js";
import type { WorkerData } from "./worker.js";

declare const __dirname: string;

const { argv, env } = process;

/** The status of a program that cannot answer. Agents take it as a denial, and some take others as consent. */
const REFUSED = 2;

process.on("uncaughtException", (error) => refused(reasonOf(error)));
process.on("unhandledRejection", (error) => refused(reasonOf(error)));

const { port1, port2 } = new MessageChannel();
const isAnswered = new SharedArrayBuffer(4);
const workerData: WorkerData = { words: argv.slice(2), variables: env, port: port2, isAnswered };
export const worker = new Worker(join(__dirname, "worker.cjs"), {
  workerData,
  transferList: [port2],
  // WASI is experimental in Node, which warns of it.
  execArgv: ["--no-warnings"],
  // Streams of Node would change the mode of pipes, which the WebAssembly writes to.
  stdout: true,
  stderr: true,
});

// While the worker starts.
send(readFileSync(join(__dirname, "..", "command.wasm")));

/** Sends the bytes of a whole buffer to the worker, which waits for them. */
export function send(bytes: Uint8Array): void {
  port1.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
  Atomics.store(new Int32Array(isAnswered), 0, 1);
  Atomics.notify(new Int32Array(isAnswered), 0);
}

/** Ends the process without an answer. */
export function refused(reason: string): never {
  complain(reason);
  process.exit(REFUSED);
}

/** Writes the reason for which there is no answer. */
export function complain(reason: string): void {
  console.error(`adjudicate: the command has no answer, so nothing may pass: ${reason}`);
}

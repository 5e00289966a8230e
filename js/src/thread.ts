/**
 * Starts a worker: a thread in Node, or a Web Worker.
 *
 * In Node the script is part of this file, so a bundle cannot lose it. In a page the script is a separate file, which the strictest
 * content security policy allows. If a bundler left the file out, the worker is made from the same text.
 */
import { createWorker } from "./worker-url.js";
import { AdjudicateError, reasonOf } from "./error.js";
import { script } from "./generated/worker.js";
import type { WorkerRequest, WorkerReply } from "./worker.js";

/** A running worker. */
export interface Thread {
  post(message: WorkerRequest): void;
  /** Ends the worker, even during an infinite loop. */
  end(): void;
  /** If true, the process does not exit while the worker runs. */
  keepAlive(isBusy: boolean): void;
  onReply: (reply: WorkerReply) => void;
  onFault: (fault: AdjudicateError) => void;
}

/** The time limit for the start of a worker. It is long, because the machine may be busy. */
const STARTING_MS = 60_000;

/** Starts a worker, and waits until it is ready. */
export async function startThread(url: string | undefined): Promise<Thread> {
  const threads = await nodeThreads();
  if (threads !== undefined) return await started(() => nodeThread(threads));
  if (typeof Worker === "undefined") throw fault("a deadline needs a worker, and this platform has none");
  if (url !== undefined) return await started(() => webThread(new Worker(url)));
  try {
    return await started(() => webThread(createWorker()));
  } catch (thrown) {
    try {
      return await startFromText();
    } catch {
      // The first error has the reason why the browser rejected the script.
      throw fault(`${reasonOf(thrown)}; serve \`adjudicate/worker.js\` next to the bundle, or pass its URL as \`workerUrl\``);
    }
  }
}

type NodeThreads = typeof import("node:worker_threads");

async function nodeThreads(): Promise<NodeThreads | undefined> {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> & { readonly type?: string } };
  if (process?.versions?.node === undefined || process.type === "renderer") return undefined;
  // Bun waits for such threads at the end of the process, even after `unref`. A Web Worker does not have the problem.
  if (process.versions.bun !== undefined) return undefined;
  const name = "node:worker_threads";
  const found = process.getBuiltinModule?.(name);
  // Node before 20.16 needs the import. The comments keep bundlers from resolving it.
  return (found ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ name))) as NodeThreads;
}

/** The common parts of a thread in Node and a Web Worker, which has `ref` and `unref` in Bun only. */
interface AnyWorker {
  postMessage(message: WorkerRequest): void;
  terminate(): unknown;
  ref?(): void;
  unref?(): void;
}

/** Returns a thread whose events are not connected yet. */
function threadOf(worker: AnyWorker): Thread {
  const thread: Thread = {
    post: (message) => worker.postMessage(message),
    end: () => {
      thread.onFault = () => undefined;
      // Bun cannot end a loop in WebAssembly, and would wait for it at exit.
      worker.unref?.();
      void worker.terminate();
    },
    keepAlive: (isBusy) => (isBusy ? worker.ref?.() : worker.unref?.()),
    onReply: () => undefined,
    onFault: () => undefined,
  };
  return thread;
}

function nodeThread({ Worker }: NodeThreads): Thread {
  // The module must not see the arguments and the environment of this process. Options of the process could break the script.
  const options = { __proto__: null, eval: true, execArgv: [], env: {}, argv: [] };
  const worker = new Worker(script, options);
  const thread = threadOf(worker);
  worker.on("message", (reply: WorkerReply) => thread.onReply(reply));
  worker.on("error", (thrown) => thread.onFault(fault(`the worker failed: ${reasonOf(thrown)}`)));
  worker.on("exit", () => thread.onFault(fault("the worker ended")));
  return thread;
}

function webThread(worker: Worker): Thread {
  const thread = threadOf(worker);
  worker.onmessage = ({ data }) => thread.onReply(data as WorkerReply);
  worker.onerror = (event) => {
    event.preventDefault?.();
    thread.onFault(fault(`the worker failed: ${event.message || "its script could not be loaded"}`));
  };
  return thread;
}

async function startFromText(): Promise<Thread> {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return await started(() => webThread(new Worker(url)));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns the thread when it reports that it is ready. A script of another package never does, so the start has a time limit. */
function started(create: () => Thread): Promise<Thread> {
  return new Promise((resolve, reject) => {
    let thread: Thread;
    try {
      thread = create();
    } catch (thrown) {
      return reject(fault(`the worker could not be started: ${reasonOf(thrown)}`));
    }
    const overdue = setTimeout(() => {
      thread.onFault(fault(`the worker did not start within ${STARTING_MS / 1000} s; its script is not \`adjudicate/worker.js\``));
    }, STARTING_MS);
    thread.onFault = (error) => {
      clearTimeout(overdue);
      thread.end();
      reject(error);
    };
    thread.onReply = () => {
      clearTimeout(overdue);
      resolve(thread);
    };
  });
}

function fault(message: string): AdjudicateError {
  return new AdjudicateError("host_fault", message);
}

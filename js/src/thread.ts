/**
 * A worker, wherever it comes from: a thread of Node's, or a Web Worker.
 *
 * Owns how one is started. In Node its script is part of this file, so that no bundle can lose it. In a page it is a file
 * beside this one, which the strictest policy of script sources allows; where a bundler has left that behind, it is made
 * from the same text.
 */
import { workerBeside } from "./beside.js";
import { AdjudicateError, reasonOf } from "./error.js";
import { script } from "./generated/worker.js";
import type { Message, Said } from "./worker.js";

/** A worker that runs. */
export interface Thread {
  post(message: Message): void;
  /** Ends it, also in the middle of a loop. */
  end(): void;
  /** Whether a process that has nothing else to do waits for it. */
  hold(isBusy: boolean): void;
  onSaid: (said: Said) => void;
  onFault: (fault: AdjudicateError) => void;
}

/** How long a worker may take to start, on however busy a machine. */
const STARTING_MS = 60_000;

/** Starts a worker; it is there when this is done. */
export async function startThread(url: string | undefined): Promise<Thread> {
  const threads = await nodeThreads();
  if (threads !== undefined) return await started(() => nodeThread(threads));
  if (typeof Worker === "undefined") throw fault("this platform has no workers, so there can be no deadline");
  if (url !== undefined) return await started(() => webThread(new Worker(url)));
  try {
    return await started(() => webThread(workerBeside()));
  } catch (thrown) {
    try {
      return await startFromText();
    } catch {
      // What the page forbids is said by the first.
      throw fault(`${reasonOf(thrown)}; serve \`adjudicate/worker.js\` beside the bundle, or say with \`workerUrl\` where it is`);
    }
  }
}

/** Node's threads, as far as they matter here. */
interface NodeWorker {
  postMessage(message: Message): void;
  terminate(): Promise<unknown>;
  ref(): void;
  unref(): void;
  on(event: "message", listener: (said: Said) => void): void;
  on(event: "error", listener: (thrown: unknown) => void): void;
  on(event: "exit", listener: () => void): void;
}
interface NodeThreads {
  readonly Worker: new (script: string, options: object) => NodeWorker;
}

async function nodeThreads(): Promise<NodeThreads | undefined> {
  const { process } = globalThis as {
    process?: { versions?: { node?: string; bun?: string }; type?: string; getBuiltinModule?: (name: string) => unknown };
  };
  if (process?.versions?.node === undefined || process.type === "renderer") return undefined;
  // Its threads of this kind are waited for at the end of the process even so (`webThread`).
  if (process.versions.bun !== undefined) return undefined;
  const name = "node:worker_threads";
  const found = process.getBuiltinModule?.(name);
  // Before Node 20.16. Bundlers are not to look for it.
  return (found ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ name))) as NodeThreads;
}

function nodeThread({ Worker }: NodeThreads): Thread {
  // Nothing of this process is the module's to see, and what it was started with could change how the script is read.
  const worker = new Worker(script, { __proto__: null, eval: true, execArgv: [], env: {}, argv: [] });
  const thread: Thread = {
    post: (message) => worker.postMessage(message),
    end: () => {
      thread.onFault = () => undefined;
      void worker.terminate();
    },
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    onSaid: () => undefined,
    onFault: () => undefined,
  };
  worker.on("message", (said) => thread.onSaid(said));
  worker.on("error", (thrown) => thread.onFault(fault(`the worker failed: ${reasonOf(thrown)}`)));
  worker.on("exit", () => thread.onFault(fault("the worker ended")));
  return thread;
}

/** A Web Worker; those of Bun can be waited for. */
function webThread(worker: Worker & { ref?(): void; unref?(): void }): Thread {
  const thread: Thread = {
    post: (message) => worker.postMessage(message),
    end: () => {
      thread.onFault = () => undefined;
      // Bun waits for what it is to end and cannot: a loop in WebAssembly.
      worker.unref?.();
      worker.terminate();
    },
    hold: (isBusy) => (isBusy ? worker.ref?.() : worker.unref?.()),
    onSaid: () => undefined,
    onFault: () => undefined,
  };
  worker.onmessage = ({ data }) => thread.onSaid(data as Said);
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

/** The thread, once it says that it is there. A script that never does is another one than this package's. */
function started(create: () => Thread): Promise<Thread> {
  return new Promise((resolve, reject) => {
    let thread: Thread;
    try {
      thread = create();
    } catch (thrown) {
      return reject(fault(`no worker could be started: ${reasonOf(thrown)}`));
    }
    const overdue = setTimeout(() => {
      thread.onFault(fault(`the worker did not start within ${STARTING_MS / 1000} s; its script is not \`adjudicate/worker.js\``));
    }, STARTING_MS);
    thread.onFault = (error) => {
      clearTimeout(overdue);
      thread.end();
      reject(error);
    };
    thread.onSaid = () => {
      clearTimeout(overdue);
      resolve(thread);
    };
  });
}

function fault(message: string): AdjudicateError {
  return new AdjudicateError("host_fault", message);
}

/**
 * The script of the worker that a module with a deadline runs in: one module, one call after the other, in messages.
 *
 * It is built into one file without imports (`adjudicate/worker.js`), for a browser's worker and for Node's. It answers when it
 * can; who sent the message waits no longer than the deadline, and then ends the worker.
 */
import { AdjudicateError } from "./error.js";
import { minorVersionOf, replyOf } from "./guest.js";

/** What the worker is sent: first the module, then calls, or the question for its minor version. */
export type Message =
  | { readonly module: WebAssembly.Module }
  | { readonly minorVersion: true }
  | { readonly operation: number; readonly input: Uint8Array; readonly outputLimit: number };

/** What it says: that it is there, and then one thing for each question. */
export interface Said {
  readonly ready?: true;
  readonly minorVersion?: number;
  readonly reply?: Uint8Array<ArrayBuffer>;
  readonly fault?: { readonly code: AdjudicateError["code"]; readonly message: string };
}

/** The two kinds of workers, as far as they matter here. */
interface Scope {
  postMessage(said: Said): void;
  onmessage: ((event: { readonly data: Message }) => void) | null;
}
interface ParentPort {
  postMessage(said: Said): void;
  on(event: "message", listener: (message: Message) => void): void;
}

/** How Node gives its own modules to a script; before Node 20.16 only by the second. */
interface Node {
  readonly process?: { readonly getBuiltinModule?: (name: string) => Threads };
  readonly require?: (name: string) => Threads;
}
interface Threads {
  readonly parentPort: ParentPort | null;
}

let module: WebAssembly.Module | undefined;

function answer(message: Message, say: (said: Said) => void): void {
  if ("module" in message) {
    module = message.module;
    return;
  }
  if (module === undefined) return;
  try {
    if ("minorVersion" in message) say({ minorVersion: minorVersionOf(module) });
    else say({ reply: replyOf(module, message.operation, message.input, message.outputLimit) });
  } catch (thrown) {
    const { code, message } = thrown instanceof AdjudicateError ? thrown : { code: "host_fault" as const, message: String(thrown) };
    say({ fault: { code, message } });
  }
}

const { process, require } = globalThis as Node;
const parent = (process?.getBuiltinModule ?? require)?.("node:worker_threads").parentPort;
if (parent) {
  parent.on("message", (message) => answer(message, (said) => parent.postMessage(said)));
  parent.postMessage({ ready: true });
} else {
  const scope = globalThis as unknown as Scope;
  scope.onmessage = ({ data }) => answer(data, (said) => scope.postMessage(said));
  scope.postMessage({ ready: true });
}

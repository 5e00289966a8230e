/**
 * The worker script for modules with a deadline: one module, one call at a time.
 *
 * The build makes it one file without imports (`adjudicate/worker.js`), for browsers and for Node. The caller ends the worker when the
 * deadline has passed.
 */
import { AdjudicateError } from "./error.js";
import { minorVersionOf, replyOf } from "./guest.js";

/** A message to the worker. The first one has the module. Each later one is a call, or asks for the minor version. */
export type WorkerRequest =
  | { readonly module: WebAssembly.Module }
  | { readonly minorVersion: true }
  | { readonly operation: number; readonly input: Uint8Array; readonly outputLimit: number };

/** A message from the worker. The first one reports that it is ready. Each later one answers a request. */
export interface WorkerReply {
  readonly ready?: true;
  readonly minorVersion?: number;
  readonly reply?: Uint8Array<ArrayBuffer>;
  readonly fault?: { readonly code: AdjudicateError["code"]; readonly message: string };
}

/** The used parts of a Web Worker. */
interface Scope {
  postMessage(reply: WorkerReply): void;
  onmessage: ((event: { readonly data: WorkerRequest }) => void) | null;
}

/** Returns a built-in module of Node. */
type Builtin = (name: string) => typeof import("node:worker_threads");

let module: WebAssembly.Module | undefined;

function answer(message: WorkerRequest, send: (reply: WorkerReply) => void): void {
  if ("module" in message) {
    module = message.module;
    return;
  }
  if (module === undefined) return;
  try {
    if ("minorVersion" in message) send({ minorVersion: minorVersionOf(module) });
    else send({ reply: replyOf(module, message.operation, message.input, message.outputLimit) });
  } catch (thrown) {
    const { code, message } = thrown instanceof AdjudicateError ? thrown : { code: "host_fault" as const, message: String(thrown) };
    send({ fault: { code, message } });
  }
}

// Before Node 20.16 there is only `require`.
const { process, require } = globalThis as { process?: { getBuiltinModule?: Builtin }; require?: Builtin };
const parent = (process?.getBuiltinModule ?? require)?.("node:worker_threads").parentPort;
if (parent) {
  parent.on("message", (message: WorkerRequest) => answer(message, (reply) => parent.postMessage(reply)));
  parent.postMessage({ ready: true });
} else {
  const scope = globalThis as unknown as Scope;
  scope.onmessage = ({ data }) => answer(data, (reply) => scope.postMessage(reply));
  scope.postMessage({ ready: true });
}

/** The worker of the program: runs the WebAssembly of the command, whose files and streams are those of WASI. */
import { setFlagsFromString } from "node:v8";
import { WASI } from "node:wasi";
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";

/** The data of the worker. */
export interface WorkerData {
  /** The words behind the name of the program. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The port on which the bytes of the module come, and then the answers. */
  readonly port: MessagePort;
  /** A number that becomes 1 with the module, and with each answer. */
  readonly isAnswered: SharedArrayBuffer;
}

/** A message of the worker: a request to the operating system, or the exit status. */
export type WorkerMessage = { readonly request: Uint8Array } | { readonly status: number };

const { words, variables, port, isAnswered } = workerData as WorkerData;
const flag = new Int32Array(isAnswered);

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

/** Sends a request, and waits for its answer. */
function asked(request: Uint8Array): Uint8Array {
  Atomics.store(flag, 0, 0);
  send({ request });
  return received();
}

/** Waits for the next message. */
function received(): Uint8Array<ArrayBuffer> {
  // A late notice of an earlier message ends a wait, too.
  while (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0);
  return receiveMessageOnPort(port)?.message as Uint8Array<ArrayBuffer>;
}

// In a fast call, V8 must collect no garbage. Those of Node's WASI make it do so: after a long input, the process would crash.
setFlagsFromString("--no-turbo-fast-api-calls");
// A function of the package's own module is checked when it is compiled, at its first call.
setFlagsFromString("--wasm-lazy-validation");

const wasi = new WASI({ version: "preview1", args: ["adjudicate", ...words], env: variables, preopens: { "/": "/" } });
let reply: Uint8Array = new Uint8Array();
const instance = new WebAssembly.Instance(new WebAssembly.Module(received()), {
  ...wasi.getImportObject(),
  adjudicate: {
    ask: (address: number, length: number) => {
      reply = asked(memory().slice(address, address + length));
      return reply.length;
    },
    answer: (address: number) => memory().set(reply, address),
  },
});

function memory(): Uint8Array {
  return new Uint8Array((instance.exports["memory"] as WebAssembly.Memory).buffer);
}

send({ status: wasi.start(instance) });

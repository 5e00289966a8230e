/** The engine of the page: its compiled module, and the worker that runs it. */
import { isCompressed, url } from "virtual:engine";

import { Answers, type CallJudge } from "./answers.js";
import { ENGINE } from "./timings.js";
import type { WorkerMessage, WorkerReply, WorkerRequest } from "./worker.js";

/** The loaded engine. */
export interface LoadedEngine {
  readonly module: WebAssembly.Module;
  readonly answers: Answers;
}

/** Loads the engine from its own file, and measures the time. */
export async function loadEngine(): Promise<LoadedEngine> {
  const start = performance.now();
  const module = await compile();
  const call = callsOf(module);
  // The worker has the engine now.
  await call("check", "");
  const answers = new Answers(call);
  performance.measure(ENGINE, { start, end: performance.now() });
  return { module, answers };
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`the engine's file has the status ${response.status}`);
  // Static servers rarely compress WebAssembly, so the build does.
  const body = isCompressed ? response.body.pipeThrough(new DecompressionStream("deflate-raw")) : response.body;
  return WebAssembly.compileStreaming(new Response(body, { headers: { "content-type": "application/wasm" } }));
}

/** Sends a message to a worker, and returns its answer. */
type Send = (request: WorkerRequest) => Promise<never>;

/** Returns the function that calls the engine in a worker. Calls start in their order. A worker that failed is replaced at the next call. */
function callsOf(module: WebAssembly.Module): CallJudge {
  let running: Promise<Send> | undefined;
  const start = async () => {
    const send = sendTo(() => (running = undefined));
    await send({ module });
    return send;
  };
  return async (name, argument) => (await (running ??= start()))({ name, argument });
}

/** Starts a worker. A failure of it ends it, and all its calls. */
function sendTo(onFailure: () => void): Send {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
  const open = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let latest = 0;
  worker.addEventListener("message", ({ data: { id, answer, problem } }: MessageEvent<WorkerReply>) => {
    const waiting = open.get(id);
    open.delete(id);
    if (problem === undefined) waiting?.resolve(answer as never);
    else waiting?.reject(new Error(problem));
  });
  worker.addEventListener("error", ({ message }) => {
    onFailure();
    worker.terminate();
    for (const { reject } of open.values()) reject(new Error(`the engine's worker failed${message ? `: ${message}` : ""}`));
  });
  return (request) =>
    new Promise((resolve, reject) => {
      latest += 1;
      open.set(latest, { resolve, reject });
      worker.postMessage({ ...request, id: latest } satisfies WorkerMessage);
    });
}

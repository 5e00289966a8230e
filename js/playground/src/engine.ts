/** The engine of the page: its compiled module, and the worker that runs it. */
import { isCompressed, url } from "virtual:engine";

import { Answers, type CallJudge } from "./answers.js";
import { ENGINE } from "./timings.js";
import type { WorkerReply, WorkerRequest } from "./worker.js";

/** The loaded engine. */
export interface LoadedEngine {
  readonly module: WebAssembly.Module;
  readonly answers: Answers;
}

/** Loads the engine from its own file, and measures the time. */
export async function loadEngine(): Promise<LoadedEngine> {
  const start = performance.now();
  const module = await compile();
  const answers = new Answers(await startWorker(module));
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

/** Starts the worker, and returns the function that calls it. Calls start in their order. */
async function startWorker(module: WebAssembly.Module): Promise<CallJudge> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
  const open = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let latest = 0;
  const call: CallJudge = (name, argument) =>
    new Promise((resolve, reject) => {
      latest += 1;
      open.set(latest, { resolve, reject });
      worker.postMessage({ id: latest, name, argument } satisfies WorkerRequest);
    });
  worker.addEventListener("message", ({ data: { id, answer, problem } }: MessageEvent<WorkerReply>) => {
    const waiting = open.get(id);
    open.delete(id);
    if (problem === undefined) waiting?.resolve(answer as never);
    else waiting?.reject(new Error(problem));
  });
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of open.values()) reject(new Error(`the engine's worker failed: ${message}`));
    open.clear();
  });
  await new Promise<void>((resolve, reject) => {
    open.set(0, { resolve, reject });
    worker.postMessage({ id: 0, module } satisfies WorkerRequest);
  });
  return call;
}

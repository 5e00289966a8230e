/** The worker that runs the engine. */
import { createEngineSync } from "adjudicate/slim";

import { Judge, type JudgeMethod } from "./judge.js";

/** A message to the worker: first the engine's module, then calls. */
export type WorkerRequest = { readonly module: WebAssembly.Module } | { readonly name: JudgeMethod; readonly argument: unknown };
export type WorkerMessage = WorkerRequest & { readonly id: number };

/** The reply to the message with that id. */
export interface WorkerReply {
  readonly id: number;
  readonly answer?: unknown;
  /** A fault of the page, as text. Errors of documents are answers. */
  readonly problem?: string;
}

let judge: Judge | undefined;

addEventListener("message", async ({ data }: MessageEvent<WorkerMessage>) => {
  let reply: WorkerReply;
  try {
    reply = { id: data.id, answer: await answerTo(data) };
  } catch (thrown) {
    reply = { id: data.id, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  postMessage(reply);
});

function answerTo(request: WorkerRequest): unknown {
  if ("module" in request) {
    judge = new Judge(createEngineSync(request.module));
    return undefined;
  }
  if (judge === undefined) throw new Error("the worker has no engine yet");
  return judge[request.name](request.argument as never);
}

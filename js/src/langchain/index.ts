/**
 * A policy gate for agents of LangChain. It decides if a tool call may run, and how a run continues after a step.
 *
 * It imports `langchain` and `@langchain/langgraph`, and converts the judgments of `gate/judgments.ts` for them.
 */
import { isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, HumanMessage, ToolInvocationError, ToolMessage, createMiddleware, type AgentMiddleware } from "langchain";

import { AdjudicateError, reasonOf } from "../error.js";
import { createJudgments, type GateCore } from "../gate/judgments.js";
import { wellFormed } from "../gate/texts.js";
import type { GateOptions, Judge, StepVerdict } from "../gate/types.js";
import { own, ownIfReadable } from "../own.js";
import { copyOf } from "../strict.js";
import { refuseUnknown } from "../suggest.js";
import { checkArguments, isPlain, kindOf, wrongUsage } from "../usage.js";
import type { LangChainGate, MiddlewareOptions } from "./gate.js";
import { marked, unmark } from "./marks.js";
import { reviewed } from "./review.js";
import { runOf, type CurrentRun } from "./steps.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "../gate/step.js";
export type * from "../gate/types.js";
export type * from "./gate.js";
export type * from "./review.js";

/** The name of the middleware, and of a run in interrupts. */
const NAME = "adjudicate";

type WrapToolCall = NonNullable<AgentMiddleware["wrapToolCall"]>;
type ToolRequest = Parameters<WrapToolCall>[0];
type ToolHandler = Parameters<WrapToolCall>[1];

/**
 * Creates a gate. It reads policies and guardrails now, so their errors appear before a call runs.
 *
 * ```js
 * const gate = await createGate(engine, {
 *   tools: { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] } },
 *   callPolicy: { policy: "house", version: "1.0.0", forbidden_paths: ["deploy/**"] },
 * });
 * const agent = createAgent({ model, tools, middleware: [gate.middleware()], checkpointer });
 * ```
 *
 * @param judge An engine, or a policy module.
 * @throws {AdjudicateError} `wrong_usage` for options that would have no effect; the error of the judge for an invalid policy.
 */
export async function createGate(judge: Judge, options: GateOptions): Promise<LangChainGate> {
  checkArguments(arguments, 2, "an engine and options");
  const core = await createJudgments(judge, options);
  const { judgeCall, judgeSteps } = core;
  return { judgeCall, judgeSteps, middleware: (given) => middlewareOf(core, optionsIn(given)) };
}

function optionsIn(given: MiddlewareOptions | undefined): Required<Pick<MiddlewareOptions, "feedbacks">> & MiddlewareOptions {
  if (given !== undefined && !isPlain(given)) throw wrongUsage(`options must be a plain object, found ${kindOf(given)}`);
  const fields = own(given);
  refuseUnknown(fields, ["feedbacks", "contextSchema"], "unknown option", "the options are feedbacks, contextSchema");
  const { feedbacks = 3, contextSchema } = fields;
  if (!Number.isInteger(feedbacks) || feedbacks < 0) throw wrongUsage("expected a number of messages of 0 or more in `feedbacks`");
  return { feedbacks, ...(contextSchema !== undefined && { contextSchema }) };
}

function middlewareOf(core: GateCore, { feedbacks, contextSchema }: ReturnType<typeof optionsIn>): AgentMiddleware {
  return createMiddleware({
    name: NAME,
    ...(contextSchema !== undefined && { contextSchema }),
    wrapToolCall: (request, handler) => callOf(core, request as ToolRequest, handler as ToolHandler),
    wrapModelCall: async (request, handler) => {
      const { verdict, run } = await judged(core, request.state.messages, request.runtime.context);
      if (verdict === undefined || verdict.action === "continue") return handler(request);
      if (verdict.action === "stop") return new AIMessage({ content: verdict.reason, ...marked("stopped") });
      if (run.isAnswering) return handler(request);
      return handler({ ...request, messages: [...request.messages, feedbackOf(verdict)] });
    },
    afterAgent: {
      canJumpTo: ["model"],
      hook: async (state, runtime) => {
        const { verdict, run } = await judged(core, state.messages, runtime.context);
        if (verdict === undefined || verdict.action === "continue") return undefined;
        const { action, asks, reason, status } = verdict;
        const isSpent = action === "feedback" && run.feedbacks >= feedbacks;
        if (action === "feedback" && !isSpent) return { messages: [feedbackOf(verdict)], jumpTo: "model" };
        if (asks || isSpent) {
          const review = reviewed(NAME, { status }, reason);
          if (review.isApproved) return undefined;
          throw new AdjudicateError("run_stopped", `the gate stopped the run: ${review.message}`);
        }
        throw new AdjudicateError("run_stopped", `the gate stopped the run: ${reason}`);
      },
    },
  }) as unknown as AgentMiddleware;
}

function feedbackOf({ reason }: StepVerdict): HumanMessage {
  return new HumanMessage({ content: reason, ...marked("feedback") });
}

/** Judges the run of these messages. Before the first step there is no verdict. */
async function judged(core: GateCore, messages: unknown, context: unknown): Promise<{ verdict: StepVerdict | undefined; run: CurrentRun }> {
  let run: CurrentRun | undefined;
  try {
    run = runOf(messages, context);
  } catch {
    // The gate stops a run without steps.
  }
  if (run?.steps.length === 0) return { verdict: undefined, run };
  return { verdict: await core.judgeRun(run?.steps ?? []), run: run ?? { steps: [], feedbacks: 0, isAnswering: false } };
}

/** The number of calls for each configuration of a task. With `version: "v1"`, LangChain runs all calls of a message in one task. */
const callsOfTask = new WeakMap<object, number>();

/** Judges a call, and runs it if the gate allows it or a human approves it. */
async function callOf(core: GateCore, request: ToolRequest, handler: ToolHandler): Promise<Awaited<ReturnType<ToolHandler>>> {
  const task: object = request.runtime.configurable ?? request.state;
  callsOfTask.set(task, (callsOfTask.get(task) ?? 0) + 1);
  const { name, id, args } = ownIfReadable(request.toolCall as { name: string; id?: string; args: Record<string, unknown> });
  const context: unknown = ownIfReadable(request.runtime as { context?: unknown }).context;
  const denied = (reason: string) =>
    new ToolMessage({ content: reason, tool_call_id: String(id), name: String(name), status: "error", ...marked("denied") });
  let input: unknown;
  try {
    // The tool gets the input that the gate judges.
    input = copyOf(args ?? {}, "");
  } catch (error) {
    return denied(`the call cannot be read: ${wellFormed(reasonOf(error))}`);
  }
  const { action, reason } = await core.judgeCall({ toolName: name as string, toolCallId: String(id), input }, context);
  if (action === "deny") return denied(reason);
  if (action === "ask") {
    // Answers belong to tasks, so the approval of one call could let another one run.
    if ((callsOfTask.get(task) ?? 0) > 1) return denied(`make this call alone, because a human must approve it: ${reason}`);
    const review = reviewed(String(name), input, reason);
    if (!review.isApproved) return denied(review.message);
  }
  const toolCall = { ...request.toolCall, args: structuredClone(input) as Record<string, unknown> };
  try {
    const result = await handler({ ...request, toolCall });
    unmark(result);
    return result;
  } catch (error) {
    const isOfLangChain = isGraphBubbleUp(error) || ToolInvocationError.isInstance(error);
    if (isOfLangChain || request.runtime.signal?.aborted === true) throw error;
    // Without a middleware for tool calls, LangChain gives the error to the model. With one, it would end the run.
    return new ToolMessage({ content: reasonOf(error), tool_call_id: String(id), name: String(name), status: "error" });
  }
}

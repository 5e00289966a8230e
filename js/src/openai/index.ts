/**
 * A policy gate for agents of the OpenAI Agents SDK. It decides if a tool call may run, and if the output of a run may leave it.
 *
 * The gate fits the SDK, and does not import it. It converts the judgments of `gate/judgments.ts` for the SDK.
 */
import { reasonOf } from "../error.js";
import { createJudgments, type GateCore } from "../gate/judgments.js";
import { stricterBy } from "../gate/strictest.js";
import { wellFormed } from "../gate/texts.js";
import type { CallVerdict, GateOptions, Judge } from "../gate/types.js";
import { itemsOf } from "../list.js";
import { own, propertyOf } from "../own.js";
import { checkArguments, kindOf, shortened, wrongUsage } from "../usage.js";
import type { OpenAiGate } from "./gate.js";
import { approvalOf, parsedVerdict, recordDenied, recordParsed } from "./records.js";
import type { FunctionTool, NeedsApproval, RunContext, ToolInputAnswer, ToolInputData } from "./sdk.js";
import { stepsOf } from "./steps.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "../gate/step.js";
export type * from "../gate/types.js";
export type * from "./gate.js";
export type * from "./sdk.js";

/** The name of both guardrails. */
const NAME = "adjudicate";

const stricter = stricterBy<CallVerdict>(["allow", "ask", "deny"]);

/**
 * Creates a gate. It reads policies and guardrails now, so their errors appear before a call runs.
 *
 * ```js
 * const gate = await createGate(engine, {
 *   tools: { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] } },
 *   callPolicy: { policy: "house", version: "1.0.0", forbidden_paths: ["deploy/**"] },
 * });
 * const agent = new Agent({ name: "editor", model, tools: gate.guard(tools), outputGuardrails: [gate.outputGuardrail] });
 * ```
 *
 * @param judge An engine, or a policy module.
 * @throws {AdjudicateError} `wrong_usage` for options that would have no effect; the error of the judge for an invalid policy.
 */
export async function createGate(judge: Judge, options: GateOptions): Promise<OpenAiGate> {
  checkArguments(arguments, 2, "an engine and options");
  const core = await createJudgments(judge, options);
  const { judgeCall, judgeSteps } = core;
  const inputGuardrail = { type: "tool_input", name: NAME, run: (data: ToolInputData) => answered(judgeCall, data) } as const;
  const needsApproval = (toolName: string) => approvalFor(judgeCall, toolName, undefined);
  return {
    judgeCall,
    judgeSteps,
    guard: <Tool extends FunctionTool>(tools: readonly Tool[]) =>
      [...itemsOf(tools, "tools")].map((tool) => guarded(tool as Tool, inputGuardrail, (name, theirs) => approvalFor(judgeCall, name, theirs))),
    inputGuardrail,
    needsApproval,
    outputGuardrail: { name: NAME, execute: async (data) => outputAnswer(core, data) },
  };
}

type JudgeCall = GateCore["judgeCall"];

/** Judges a call as the model wrote it. The verdict on its parsed input counts, too. */
async function answered(judgeCall: JudgeCall, data: ToolInputData): Promise<ToolInputAnswer> {
  try {
    const { toolCall, context } = data;
    const { name, callId, arguments: text } = own(toolCall) as Readonly<ToolInputData["toolCall"]>;
    const raw = await judgeCall({ toolName: name, toolCallId: callId, input: JSON.parse(text) as unknown }, context.context);
    const parsed = parsedVerdict(context, name, callId);
    const { action, by, reason } = parsed === undefined ? raw : stricter(raw, parsed);
    const outputInfo = { action, by, reason };
    if (action === "allow") return { behavior: { type: "allow" }, outputInfo };
    // The SDK may run guardrails before it asks a human. It asks because `needsApproval` has answered.
    const isAsked = parsed?.action === "ask" && raw.action !== "deny";
    const isApproved = approvalOf(context, name, callId) === true;
    if (action === "ask" && (isAsked || isApproved)) return { behavior: { type: "allow" }, outputInfo };
    const message = action === "deny" ? reason : `a human must approve this call first: ${reason}`;
    recordDenied(context, name, callId, text, message);
    return { behavior: { type: "rejectContent", message }, outputInfo };
  } catch (error) {
    const reason = `the call cannot be read: ${wellFormed(reasonOf(error))}`;
    return { behavior: { type: "rejectContent", message: reason }, outputInfo: { action: "deny", by: "fault", reason } };
  }
}

/** Returns `needsApproval` for a tool. A denied call needs none, because the input guardrail rejects it. */
function approvalFor(judgeCall: JudgeCall, toolName: string, theirs: unknown): NeedsApproval {
  return async (context: RunContext, input: unknown, callId?: string) => {
    const verdict = await judgeCall({ toolName, toolCallId: String(callId), input }, own(context).context);
    recordParsed(context, toolName, String(callId), verdict);
    if (verdict.action !== "allow") return verdict.action === "ask";
    // An error of the tool's own function ends the run.
    return typeof theirs === "function" ? Boolean(await (theirs as NeedsApproval)(context, input, callId)) : Boolean(theirs);
  };
}

/** Returns a tool with the guardrails of the gate before its own. */
function guarded<Tool extends FunctionTool>(
  tool: Tool,
  inputGuardrail: OpenAiGate["inputGuardrail"],
  approval: (toolName: string, theirs: unknown) => NeedsApproval,
): Tool {
  const [type, name, theirs] = ["type", "name", "needsApproval"].map((field) => propertyOf(tool, field));
  if (type !== "function" || typeof name !== "string") {
    const found = typeof type === "string" ? `the type \`${shortened(type)}\`` : kindOf(tool);
    throw wrongUsage(`a gate guards function tools, found ${found}: leave this tool out of \`guard\`; the gate judges its calls with the run`);
  }
  const guardrails = (propertyOf(tool, "inputGuardrails") ?? []) as readonly unknown[];
  return Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...Object.getOwnPropertyDescriptors(tool),
    needsApproval: fieldOf(approval(name, theirs)),
    inputGuardrails: fieldOf([inputGuardrail, ...guardrails]),
  }) as Tool;
}

function fieldOf(value: unknown): PropertyDescriptor {
  return { value, configurable: true, enumerable: true, writable: true };
}

/** Judges a run by its items. A run without items is an error of the gate. */
async function outputAnswer(core: GateCore, data: Parameters<OpenAiGate["outputGuardrail"]["execute"]>[0]) {
  const steps = (() => {
    try {
      return stepsOf(data.details?.output, data.context);
    } catch {
      return [];
    }
  })();
  const { action, asks, status, reason } = await core.judgeRun(steps);
  return { tripwireTriggered: action !== "continue", outputInfo: { action, asks, status, reason } };
}

/**
 * A policy gate for agents of the Vercel AI SDK. It decides if a tool call may run, and how a run continues after a step.
 *
 * The gate fits the SDK, and does not import it. It converts the judgments of `gate/judgments.ts` for the SDK.
 */
import { createJudgments, type GateCore } from "../gate/judgments.js";
import type { Step, ToolCall } from "../gate/step.js";
import type { GateOptions, Judge } from "../gate/types.js";
import { ownIfReadable } from "../own.js";
import { checkArguments, shown, wrongUsage } from "../usage.js";
import type { Gate } from "./gate.js";
import { approvalByTool, guarded } from "./guard.js";
import type { PolicyClient } from "./sdk.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "../gate/step.js";
export type * from "../gate/types.js";
export type * from "./gate.js";
export type * from "./sdk.js";

/**
 * Creates a gate. It reads policies and guardrails now, so their errors appear before a call runs.
 *
 * ```js
 * const gate = await createGate(engine, {
 *   tools: { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] } },
 *   callPolicy: { policy: "house", version: "1.0.0", forbidden_paths: ["deploy/**"] },
 * });
 * const { action, reason } = await gate.judgeCall({ toolName: "write_file", toolCallId: "1", input: { path: "deploy/x" } });
 * console.log(action, reason);
 * ```
 *
 * @param judge An engine, or a policy module.
 * @throws {AdjudicateError} `wrong_usage` for options that would have no effect; the error of the judge for an invalid policy.
 */
export async function createGate(judge: Judge, options: GateOptions): Promise<Gate> {
  checkArguments(arguments, 2, "an engine and options");
  return gateOf(await createJudgments(judge, options));
}

/** Returns a copy of a list, or `undefined` for any other value. */
function copyOfList<Item>(list: readonly Item[] | undefined): Item[] | undefined {
  try {
    return Array.isArray(list) ? [...list] : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the functions of a gate in the forms that the SDK expects. */
function gateOf(core: GateCore): Gate {
  const { judgeCall, judgeSteps } = core;
  return {
    judgeCall,
    judgeSteps,
    after: (steps) => gateOf(core.after(steps)),
    toolApproval: async (given) => {
      const request = ownIfReadable(given);
      const { toolCall } = request;
      // The call is read twice, so the gate uses a copy.
      const call = typeof toolCall === "object" && toolCall ? ({ ...ownIfReadable(toolCall) } as ToolCall) : toolCall;
      const { action, reason } = await judgeCall(call as ToolCall, request.runtimeContext);
      if (action === "allow") return approvalByTool({ ...request, toolCall: call as ToolCall });
      return { type: action === "ask" ? "user-approval" : "denied", reason };
    },
    stopWhen: async (given) => (await judgeSteps(ownIfReadable(given).steps as Step[])).action === "stop",
    prepareStep: async (next) => {
      const { steps, messages } = ownIfReadable(next);
      if (copyOfList(steps)?.length === 0) return undefined;
      const { action, reason } = await judgeSteps(steps as Step[]);
      if (action === "continue") return undefined;
      const more = [...(copyOfList(messages) ?? []), { role: "user", content: reason } as const];
      // The run goes on although it should stop, so the model may answer, but call no tool.
      return action === "feedback" ? { messages: more } : { messages: more, activeTools: [] };
    },
    guard: (given) => {
      const entries = Object.entries(given).map(([name, tool]) => [name, guarded(judgeCall, name, tool)]);
      return Object.fromEntries(entries) as typeof given;
    },
    client: clientOf(core.tools, judgeCall),
  };
}

function clientOf(tools: readonly string[], judgeCall: Gate["judgeCall"]): PolicyClient {
  const decisions = { allow: "allow", deny: "deny", ask: "requires-approval" } as const;
  const answer = async (path: string, input: unknown): Promise<unknown> => {
    if (path === "adjudicate/tools") return { tools: [...tools] };
    if (path !== "adjudicate/call") throw wrongUsage(`expected the path \`adjudicate/call\` or \`adjudicate/tools\`, found ${shown(path)}`);
    const { tool, args, runtimeContext } = ownIfReadable(input as { tool?: { name?: unknown }; args?: unknown; runtimeContext?: unknown });
    const call: ToolCall = { toolName: ownIfReadable(tool).name as string, toolCallId: "", input: args };
    const { action, reason } = await judgeCall(call, runtimeContext);
    return { decision: decisions[action], reason };
  };
  return { evaluate: async <Input, Answer>(path: string, input: Input) => (await answer(path, input)) as Answer };
}

/**
 * A policy gate for agent SDKs: whether a tool call may run, and how a run goes on after a step.
 *
 * Made for the Vercel AI SDK, without depending on it. Owns no rule: guardrails judge what happens, `evaluate` judges changes
 * and steps, and this entry carries what the SDK says to them and their answers back. Whatever fails on the way is a no.
 */
import { ownIfReadable } from "../own.js";
import { kindOf, refuseMore, shortened, wrongUsage } from "../usage.js";
import { Judging } from "./judging.js";
import { judgedCall } from "./calls.js";
import { envelopeOf, evidenceOfStep } from "./envelope.js";
import type { CallVerdict, Gate, GateOptions, Judge, StepVerdict } from "./gate.js";
import { approvalByTool, guarded } from "./guard.js";
import { refuseOtherThanJudge, refuseUnheard, settingsOf } from "./options.js";
import type { PolicyClient, Step, ToolCall } from "./sdk.js";
import { Steps } from "./steps.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "./gate.js";
export type * from "./sdk.js";

/**
 * Makes a gate. Policies and guardrails are read once, so what is wrong with them is known before anything runs.
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
 * @throws {AdjudicateError} `wrong_usage` for options that it would not heed; what the judge throws for a policy that is none.
 */
export async function createGate(judge: Judge, options: GateOptions): Promise<Gate> {
  refuseMore(arguments, 2, "an engine and options are all");
  refuseOtherThanJudge(judge);
  const settings = settingsOf(options);
  const judging = new Judging(judge, settings);
  await judging.tryGuardrails();
  refuseUnheard(settings);
  const trial = envelopeOf(settings.runId, "trial", evidenceOfStep("stop", { calls: [] }, settings.tools));
  for (const policy of [...settings.callPolicies, settings.stepPolicy, settings.stepWorkspace]) {
    if (policy) await judging.evaluate(trial, policy);
  }
  const steps = new Steps(judging, settings);
  const told = <Verdict extends CallVerdict | StepVerdict>(verdict: Verdict): Verdict => {
    // Records are somebody else's business, and no reason to decide otherwise: also not for who writes into them.
    Object.freeze(verdict);
    void (async () => settings.onVerdict?.(verdict))().catch(() => undefined);
    return verdict;
  };
  return gateOf(
    [...settings.tools.keys()],
    async (toolCall, runtimeContext) => told(await judgedCall(judging, settings, toolCall, runtimeContext)),
    (all) => steps.verdict(all),
    told,
  );
}

/** A list as it is now; nothing for what is none. */
function listOf<Item>(list: readonly Item[] | undefined): Item[] | undefined {
  try {
    return Array.isArray(list) ? [...list] : undefined;
  } catch {
    return undefined;
  }
}

/** The shapes in which SDKs ask. */
function gateOf(
  tools: readonly string[],
  judgeCall: Gate["judgeCall"],
  verdictOn: Gate["judgeSteps"],
  told: (verdict: StepVerdict) => StepVerdict,
): Gate {
  const judgeSteps: Gate["judgeSteps"] = async (steps) => told(await verdictOn(steps));
  return {
    judgeCall,
    judgeSteps,
    toolApproval: async (given) => {
      const request = ownIfReadable(given);
      const { toolCall } = request;
      // A copy, for it is read twice.
      const call = typeof toolCall === "object" && toolCall ? ({ ...ownIfReadable(toolCall) } as ToolCall) : toolCall;
      const { action, reason } = await judgeCall(call as ToolCall, request.runtimeContext);
      if (action === "allow") return approvalByTool({ ...request, toolCall: call as ToolCall });
      return { type: action === "ask" ? "user-approval" : "denied", reason };
    },
    stopWhen: async (given) => (await judgeSteps(ownIfReadable(given).steps as Step[])).action === "stop",
    prepareStep: async (next) => {
      const { steps, messages } = ownIfReadable(next);
      if (listOf(steps)?.length === 0) return undefined;
      const { action, reason } = await verdictOn(steps as Step[]);
      if (action === "continue") return undefined;
      const more = [...(listOf(messages) ?? []), { role: "user", content: reason } as const];
      // Nobody heeded the condition, so the model has the last word and nothing else.
      return action === "feedback" ? { messages: more } : { messages: more, activeTools: [] };
    },
    guard: (given) => {
      const entries = Object.entries(given).map(([name, tool]) => [name, guarded(judgeCall, name, tool)]);
      return Object.fromEntries(entries) as typeof given;
    },
    client: clientOf(tools, judgeCall),
  };
}

function clientOf(tools: readonly string[], judgeCall: Gate["judgeCall"]): PolicyClient {
  const decisions = { allow: "allow", deny: "deny", ask: "requires-approval" } as const;
  const answer = async (path: string, input: unknown): Promise<unknown> => {
    if (path === "adjudicate/tools") return { tools: [...tools] };
    const found = typeof path === "string" ? `\`${shortened(path)}\`` : kindOf(path);
    if (path !== "adjudicate/call") throw wrongUsage(`there is no ${found}: ask \`adjudicate/call\` or \`adjudicate/tools\``);
    const { tool, args, runtimeContext } = ownIfReadable(input as { tool?: { name?: unknown }; args?: unknown; runtimeContext?: unknown });
    const call: ToolCall = { toolName: ownIfReadable(tool).name as string, toolCallId: "", input: args };
    const { action, reason } = await judgeCall(call, runtimeContext);
    return { decision: decisions[action], reason };
  };
  return { evaluate: async <Input, Answer>(path: string, input: Input) => (await answer(path, input)) as Answer };
}

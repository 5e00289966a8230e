/**
 * A policy gate for agent SDKs. It decides if a tool call may run, and how a run continues after a step.
 *
 * The gate fits the Vercel AI SDK, and does not import it. It has no rules: it converts calls and steps for guardrails and `evaluate`, and
 * their answers for the SDK. A failure denies the call or stops the run.
 */
import { ownIfReadable } from "../own.js";
import { kindOf, checkArguments, shortened, wrongUsage } from "../usage.js";
import { CheckedJudge } from "./checked-judge.js";
import { judgeCall } from "./calls.js";
import { envelopeOf, evidenceOfStep } from "./envelope.js";
import type { CallVerdict, Gate, GateOptions, Judge, StepVerdict } from "./gate.js";
import { approvalByTool, guarded } from "./guard.js";
import { checkJudge, checkGuardrails, settingsOf } from "./options.js";
import type { PolicyClient, Step, ToolCall } from "./sdk.js";
import { Steps } from "./steps.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
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
  checkJudge(judge);
  const settings = settingsOf(options);
  const judging = new CheckedJudge(judge, settings);
  await judging.tryGuardrails();
  checkGuardrails(settings);
  const trial = envelopeOf(settings.runId, "trial", evidenceOfStep("stop", { calls: [] }, settings.tools));
  for (const policy of [...settings.callPolicies, settings.stepPolicy, settings.stepWorkspace]) {
    if (policy) await judging.evaluate(trial, policy);
  }
  const steps = new Steps(judging, settings);
  const report = <Verdict extends CallVerdict | StepVerdict>(verdict: Verdict): Verdict => {
    // A recorder must not change a verdict, neither by an error nor by writing to it.
    Object.freeze(verdict);
    void (async () => settings.onVerdict?.(verdict))().catch(() => undefined);
    return verdict;
  };
  return gateOf(
    [...settings.tools.keys()],
    async (toolCall, runtimeContext) => report(await judgeCall(judging, settings, toolCall, runtimeContext)),
    (all) => steps.verdict(all),
    report,
  );
}

/** Returns a copy of a list, or `undefined` for any other value. */
function copyOfList<Item>(list: readonly Item[] | undefined): Item[] | undefined {
  try {
    return Array.isArray(list) ? [...list] : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the functions of a gate in the forms that SDKs expect. */
function gateOf(
  tools: readonly string[],
  judgeCall: Gate["judgeCall"],
  verdictOn: Gate["judgeSteps"],
  report: (verdict: StepVerdict) => StepVerdict,
): Gate {
  const judgeSteps: Gate["judgeSteps"] = async (steps) => report(await verdictOn(steps));
  return {
    judgeCall,
    judgeSteps,
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
      const { action, reason } = await verdictOn(steps as Step[]);
      if (action === "continue") return undefined;
      const more = [...(copyOfList(messages) ?? []), { role: "user", content: reason } as const];
      // The run goes on although it should stop, so the model may answer, but call no tool.
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
    if (path !== "adjudicate/call") throw wrongUsage(`expected the path \`adjudicate/call\` or \`adjudicate/tools\`, found ${found}`);
    const { tool, args, runtimeContext } = ownIfReadable(input as { tool?: { name?: unknown }; args?: unknown; runtimeContext?: unknown });
    const call: ToolCall = { toolName: ownIfReadable(tool).name as string, toolCallId: "", input: args };
    const { action, reason } = await judgeCall(call, runtimeContext);
    return { decision: decisions[action], reason };
  };
  return { evaluate: async <Input, Answer>(path: string, input: Input) => (await answer(path, input)) as Answer };
}

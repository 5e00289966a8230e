/** Judges a call before it runs. */
import type { Evaluation, GuardrailAction } from "../generated/types.js";
import { reasonOf } from "../error.js";
import { own } from "../own.js";
import { kindOf } from "../usage.js";
import type { CheckedJudge } from "./checked-judge.js";
import { envelopeOf, evidenceOfCall } from "./envelope.js";
import type { CallVerdict } from "./types.js";
import { nodeOf, type GateSettings } from "./options.js";
import type { ToolCall } from "./step.js";
import { stricterBy } from "./strictest.js";
import { actionText, evaluationText, wellFormed } from "./texts.js";

type CallJudgment = Pick<CallVerdict, "action" | "by" | "reason">;

const stricter = stricterBy<CallJudgment>(["allow", "ask", "deny"]);
const ALLOWED: CallJudgment = { action: "allow", by: "default", reason: "" };

/** Judges a call. The strictest verdict decides. A failure denies the call. */
export async function judgeCall(
  judging: CheckedJudge,
  settings: GateSettings,
  toolCall: ToolCall,
  runtimeContext: unknown,
): Promise<CallVerdict> {
  let actions: readonly GuardrailAction[] = [];
  let evaluation: Evaluation | null = null;
  const answers = () => ({ actions: structuredClone(actions), evaluation: structuredClone(evaluation) });
  const verdict = (judgment: CallJudgment): CallVerdict => ({ about: "call", ...judgment, toolCall, ...answers() });
  try {
    if (typeof toolCall !== "object" || toolCall === null) throw new TypeError(`expected a tool call, found ${kindOf(toolCall)}`);
    const { toolName, input } = own(toolCall);
    const rule = toolName === undefined ? undefined : settings.tools.get(toolName);
    if (toolName === undefined || rule === undefined) {
      return verdict({
        action: "deny",
        by: "tools",
        reason: `unknown tool \`${wellFormed(String(toolName))}\`; known tools: ${wellFormed([...settings.tools.keys()].join(", "))}`,
      });
    }
    const context: unknown = settings.context?.(runtimeContext);
    const node = nodeOf(toolName, rule);
    const output = context === undefined ? { tool: toolName, input } : { tool: toolName, input, context };
    actions = await judging.guardrails({ kind: "onStart", node, output });
    let judgment = actions.map(ofGuardrail).reduce(stricter, ALLOWED);
    const { callPolicies } = settings;
    if (callPolicies.length === 0) return verdict(judgment);
    const envelope = envelopeOf(settings.runId, "call", evidenceOfCall(toolName, input, rule));
    for (const policy of callPolicies) {
      const answer = await judging.evaluate(envelope, policy);
      const strictest = stricter(judgment, ofPolicy(answer));
      if (evaluation === null || strictest !== judgment) evaluation = answer;
      judgment = strictest;
    }
    return verdict(judgment);
  } catch (error) {
    const reason = `the gate could not judge this call: ${wellFormed(reasonOf(error))}`;
    return { ...verdict({ action: "deny", by: "fault", reason }), error };
  }
}

function ofGuardrail(fired: GuardrailAction): CallJudgment {
  const by = "guardrail";
  switch (fired.action.type) {
    case "emit":
      return ALLOWED;
    case "pause":
    case "hitl":
      return { action: "ask", by, reason: actionText(fired) };
    // Actions that retry or replan do not run the call as it is.
    default:
      return { action: "deny", by, reason: actionText(fired) };
  }
}

function ofPolicy(evaluation: Evaluation): CallJudgment {
  const { status, next_step } = evaluation.decision;
  if (status === "success" && next_step === "continue") return ALLOWED;
  const action = status === "needs_human" ? "ask" : "deny";
  return { action, by: "policy", reason: evaluationText(evaluation) };
}

/** Judging a call that is about to run. */
import type { Evaluation, GuardrailAction } from "../generated/types.js";
import { reasonOf } from "../error.js";
import { own } from "../own.js";
import { kindOf } from "../usage.js";
import type { Judging } from "./judging.js";
import { envelopeOf, evidenceOfCall } from "./envelope.js";
import type { CallVerdict } from "./gate.js";
import { nodeOf, type Settings } from "./options.js";
import type { ToolCall } from "./sdk.js";
import { stricterBy } from "./strictest.js";
import { saidBy, toldBy, wellFormed } from "./words.js";

type Said = Pick<CallVerdict, "action" | "by" | "reason">;

const stricter = stricterBy<Said>(["allow", "ask", "deny"]);
const ALLOWED: Said = { action: "allow", by: "nobody", reason: "" };

/** Judges a call. Whoever is strictest has it; what fails is a denial. */
export async function judgedCall(
  judging: Judging,
  settings: Settings,
  toolCall: ToolCall,
  runtimeContext: unknown,
): Promise<CallVerdict> {
  let actions: readonly GuardrailAction[] = [];
  let evaluation: Evaluation | null = null;
  const answers = () => ({ actions: structuredClone(actions), evaluation: structuredClone(evaluation) });
  const verdict = (said: Said): CallVerdict => ({ about: "call", ...said, toolCall, ...answers() });
  try {
    if (typeof toolCall !== "object" || toolCall === null) throw new TypeError(`expected a call of a tool, found ${kindOf(toolCall)}`);
    const { toolName, input } = own(toolCall);
    const rule = toolName === undefined ? undefined : settings.tools.get(toolName);
    if (toolName === undefined || rule === undefined) {
      return verdict({
        action: "deny",
        by: "tools",
        reason: `there is no tool \`${wellFormed(String(toolName))}\` here; use another`,
      });
    }
    const context: unknown = settings.context?.(runtimeContext);
    const node = nodeOf(toolName, rule);
    const output = context === undefined ? { tool: toolName, input } : { tool: toolName, input, context };
    actions = await judging.guardrails({ kind: "onStart", node, output });
    let said = actions.map(ofGuardrail).reduce(stricter, ALLOWED);
    const { callPolicies } = settings;
    if (callPolicies.length === 0) return verdict(said);
    const envelope = envelopeOf(settings.runId, "call", evidenceOfCall(toolName, input, rule));
    for (const policy of callPolicies) {
      const answer = await judging.evaluate(envelope, policy);
      const strictest = stricter(said, ofPolicy(answer));
      if (evaluation === null || strictest !== said) evaluation = answer;
      said = strictest;
    }
    return verdict(said);
  } catch (error) {
    const reason = `whether this call may run could not be decided: ${wellFormed(reasonOf(error))}`;
    return { ...verdict({ action: "deny", by: "fault", reason }), error };
  }
}

function ofGuardrail(fired: GuardrailAction): Said {
  const by = "guardrail";
  switch (fired.action.type) {
    case "emit":
      return ALLOWED;
    case "pause":
    case "hitl":
      return { action: "ask", by, reason: saidBy(fired) };
    // What is to be done again, or planned anew, is not done as it is.
    default:
      return { action: "deny", by, reason: saidBy(fired) };
  }
}

function ofPolicy(evaluation: Evaluation): Said {
  const { status, next_step } = evaluation.decision;
  if (status === "success" && next_step === "continue") return ALLOWED;
  const action = status === "needs_human" ? "ask" : "deny";
  return { action, by: "policy", reason: toldBy(evaluation) };
}

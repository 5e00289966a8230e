/** What models and people are told: built from what was decided, in one order, and from nothing else. */
import type { Evaluation, GuardrailAction } from "../generated/types.js";

/** What a guardrail says. */
export function saidBy({ policyId, action, reason }: GuardrailAction): string {
  const because = reason === undefined ? "" : ` (${reason})`;
  switch (action.type) {
    case "retry":
      return `do it again, says the guardrail \`${policyId}\`${because}`;
    case "pause":
      return `${action.reason}${because}`;
    case "hitl":
      return `${action.rationale}${because}`;
    case "replan":
      return `${action.rationale ?? `plan anew, says the guardrail \`${policyId}\``}${because}`;
    case "fail":
      return `${action.message}${because}`;
    case "emit":
      return "";
  }
}

/** What an evaluation says: what was found, and what to do about it. */
export function toldBy({ decision, findings }: Evaluation): string {
  const lines = findings.filter(({ mode }) => mode !== "monitor").map(({ summary }) => `- ${summary}`);
  const instructions = decision.fix_instructions;
  if (instructions !== null) {
    const { objective, edits, constraints, verification } = instructions;
    lines.push(`To do: ${objective}`);
    for (const { target, action, rationale } of edits) lines.push(`- ${target}: ${action} (${rationale})`);
    for (const constraint of constraints) lines.push(`- keep to this: ${constraint}`);
    for (const { command, expected_signal } of verification) lines.push(`- check with \`${command}\`: ${expected_signal}`);
  }
  return lines.length === 0 ? `the decision is \`${decision.status}\`` : lines.join("\n");
}

/** Text that came from elsewhere, as JSON can carry it, and no longer than anybody reads. */
export function wellFormed(text: string): string {
  return text.slice(0, 500).replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

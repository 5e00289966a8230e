/** Texts for models and humans, made from decisions only. */
import type { Evaluation, GuardrailAction } from "../generated/types.js";

/** Returns the text for an action of a guardrail. */
export function actionText({ policyId, action, reason }: GuardrailAction): string {
  const because = reason === undefined ? "" : ` (${reason})`;
  switch (action.type) {
    case "retry":
      return `the guardrail \`${policyId}\` requires a retry${because}`;
    case "pause":
      return `${action.reason}${because}`;
    case "hitl":
      return `${action.rationale}${because}`;
    case "replan":
      return `${action.rationale ?? `the guardrail \`${policyId}\` requires a new plan`}${because}`;
    case "fail":
      return `${action.message}${because}`;
    case "emit":
      return "";
  }
}

/** Returns the text for an evaluation: its findings and its fix instructions. */
export function evaluationText({ decision, findings }: Evaluation): string {
  const lines = findings.filter(({ mode }) => mode !== "monitor").map(({ summary }) => `- ${summary}`);
  const instructions = decision.fix_instructions;
  if (instructions !== null) {
    const { objective, edits, constraints, verification } = instructions;
    lines.push(`Objective: ${objective}`);
    for (const { target, action, rationale } of edits) lines.push(`- ${target}: ${action} (${rationale})`);
    for (const constraint of constraints) lines.push(`- constraint: ${constraint}`);
    for (const { command, expected_signal } of verification) lines.push(`- verify with \`${command}\`: ${expected_signal}`);
  }
  return lines.length === 0 ? `the decision is \`${decision.status}\`` : lines.join("\n");
}

/** Returns the first 500 characters of an untrusted text, with lone surrogates replaced, so that it has a JSON form. */
export function wellFormed(text: string): string {
  return text.slice(0, 500).replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** The envelope and the answer on the page as a test, in the form of `adjudicate test --case`. */
import type { Evaluation } from "adjudicate/slim";

import { pretty } from "./json.js";
import type { Outcome } from "./answers.js";

/** The part of the answer that a test expects. */
export type Strictness = "decision and rules" | "whole answer";

export interface CaseSource {
  readonly name: string;
  /** The name of the policy. Without one, the case applies to every policy. */
  readonly policy: string | undefined;
  /** The text of the envelope. The case keeps its numbers and the order of its fields. */
  readonly envelope: string;
  readonly outcome: Outcome;
  readonly strictness: Strictness;
}

/** The reason why there is no case. */
export class CaseError extends Error {
  override readonly name = "CaseError";
}

/** Returns the text of a file with one case. */
export function caseFile({ name, policy, envelope, outcome, strictness }: CaseSource): string {
  if (name.trim() === "") throw new CaseError("missing name");
  checkInput(envelope, outcome);
  const head = [`"name": ${JSON.stringify(name)}`, ...(policy === undefined ? [] : [`"policy": ${JSON.stringify(policy)}`])];
  const fields = [...head, `"input": ${indented(envelope)}`, `"expect": ${indented(pretty(expectation(outcome, strictness)))}`];
  return `{\n  ${fields.join(",\n  ")}\n}\n`;
}

/** Returns the shortest policy, for a case without a policy, because the command tests policies only. */
export function shortestPolicy(): string {
  return pretty({ policy: "built-in-rules", version: "1.0.0" });
}

/** Returns the default name of a case. */
export function suggestedName(outcome: Outcome): string {
  if (outcome.fault !== undefined) return `error ${outcome.fault.code}`;
  const { decision, findings } = outcome.evaluation;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return rules.length === 0 ? `is ${decision.status}` : `is ${decision.status}: ${rules.slice(0, 3).join(", ")}`;
}

/** Returns the name of the file. */
export function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${plain === "" ? "case" : plain}.case.json`;
}

function expectation(outcome: Outcome, strictness: Strictness): unknown {
  if (outcome.fault !== undefined) return { error: { code: outcome.fault.code, path: outcome.fault.path } };
  const { evaluation } = outcome;
  return strictness === "whole answer" ? evaluation : essence(evaluation);
}

/** Returns the parts of an answer that a policy's author tests: the status, the step, the flags and the rules. */
function essence({ decision, findings }: Evaluation): unknown {
  const { status, next_step, risk_flags } = decision;
  const rules = findings.map(({ rule, mode }) => (mode === undefined ? { rule } : { rule, mode }));
  return { decision: { status, next_step, risk_flags }, findings: rules };
}

/** Checks that the envelope is an object. One invalid input would break the whole file of cases. */
function checkInput(envelope: string, outcome: Outcome): void {
  if (outcome.fault !== undefined && outcome.document === "policy")
    throw new CaseError("the policy is invalid");
  let value: unknown;
  try {
    value = JSON.parse(envelope);
  } catch {
    throw new CaseError("the envelope is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CaseError("the envelope is not an object");
  const isInvalid = outcome.fault?.code === "malformed_json" || outcome.fault?.code === "duplicate_key";
  if (isInvalid) throw new CaseError("the envelope is not valid JSON, so the command could not read the file");
}

/** Indents a JSON text. JSON strings contain no line breaks, so only white space changes. */
function indented(text: string): string {
  return text.trim().replaceAll("\n", "\n  ");
}

/** What is on the page as a test, in the form of `adjudicate test --case`. */
import type { Evaluation } from "adjudicate/slim";

import { pretty } from "./json.js";
import type { Outcome } from "./judge.js";

/** How much of the answer a test expects. */
export type Strictness = "decision and rules" | "whole answer";

export interface Tested {
  readonly name: string;
  /** The name of the policy; without one the case is for every policy. */
  readonly policy: string | undefined;
  /** The envelope's own text, so that numbers and their order stay as they were written. */
  readonly envelope: string;
  readonly outcome: Outcome;
  readonly strictness: Strictness;
}

/** Why there can be no case. */
export class CaseError extends Error {
  override readonly name = "CaseError";
}

/** The text of a file with one case. */
export function caseFile({ name, policy, envelope, outcome, strictness }: Tested): string {
  if (name.trim() === "") throw new CaseError("a case has a name");
  checkInput(envelope, outcome);
  const head = [`"name": ${JSON.stringify(name)}`, ...(policy === undefined ? [] : [`"policy": ${JSON.stringify(policy)}`])];
  const members = [...head, `"input": ${indented(envelope)}`, `"expect": ${indented(pretty(expectation(outcome, strictness)))}`];
  return `{\n  ${members.join(",\n  ")}\n}\n`;
}

/** The least policy there is, for a case that needs none: a test is always of a policy. */
export function leastPolicy(): string {
  return pretty({ policy: "built-in-rules", version: "1.0.0" });
}

/** A name for a case that nobody has named. */
export function suggestedName(outcome: Outcome): string {
  if (outcome.fault !== undefined) return `is refused: ${outcome.fault.code}`;
  const { decision, findings } = outcome.evaluation;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return rules.length === 0 ? `is ${decision.status}` : `is ${decision.status}: ${rules.slice(0, 3).join(", ")}`;
}

/** A name for the file. */
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

/** The status, the step and who says so: what a policy's author means by an answer. */
function essence({ decision, findings }: Evaluation): unknown {
  const { status, next_step, risk_flags } = decision;
  const rules = findings.map(({ rule, mode }) => (mode === undefined ? { rule } : { rule, mode }));
  return { decision: { status, next_step, risk_flags }, findings: rules };
}

/** A file of cases is read as a whole before any of it is judged: what is no object cannot stand in it. */
function checkInput(envelope: string, outcome: Outcome): void {
  if (outcome.fault !== undefined && outcome.document === "policy")
    throw new CaseError("the policy cannot be read, so there is nothing to test");
  let value: unknown;
  try {
    value = JSON.parse(envelope);
  } catch {
    throw new CaseError("the envelope is no JSON, and a file of cases is");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CaseError("the envelope is no object");
  const isUnreadable = outcome.fault?.code === "malformed_json" || outcome.fault?.code === "duplicate_key";
  if (isUnreadable) throw new CaseError("the envelope cannot be read, so neither could the file");
}

/** A text within another. JSON strings hold no line breaks, so only white space grows. */
function indented(text: string): string {
  return text.trim().replaceAll("\n", "\n  ");
}

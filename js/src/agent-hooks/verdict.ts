/** Converts verdicts of the gate to those of AGENT-HOOKS. */
import { AdjudicateError, reasonOf } from "../error.js";
import type { CallVerdict, StepVerdict } from "../gate/types.js";
import type { Evaluation } from "../generated/types.js";
import { jsonOf } from "../strict.js";
import { hex } from "../text.js";
import type { HookVerdict, HookWarning } from "./types.js";

/** The longest message, in characters. The reason of a policy has a line for each finding. */
const MAX_MESSAGE = 8_000;

/** Returns a permission, with concerns if there are any. */
export function allowed(warnings: readonly HookWarning[] = []): HookVerdict {
  return warnings.length === 0 ? { decision: "allow" } : { decision: "allow", warnings };
}

/** Returns a denial. A human may lift it if `isLiftable` is true. */
export function denied(reason: string, message: string, isLiftable = false): HookVerdict {
  return { decision: "deny", reason, message: bounded(message), ...(isLiftable && { approval: {} }) };
}

/** Returns the denial for an error. */
export function failed(error: unknown): HookVerdict {
  return denied(faultOf(error), `the interceptor cannot judge this action: ${reasonOf(error)}`);
}

/** Returns the verdict on a call. */
export async function ofCall(verdict: CallVerdict): Promise<HookVerdict> {
  const { action, by, reason, evaluation, error } = verdict;
  const evidence = await evidenceOf(evaluation);
  if (action === "allow") return { ...allowed(), ...evidence };
  const word = by === "tools" ? "adjudicate:unknown_tool" : reasonWord(by, evaluation?.decision.status, error);
  return { ...denied(word, reason, action === "ask"), ...evidence };
}

/** Returns the verdict on a step. At the output of a run, feedback for the model is a denial. */
export async function ofStep(verdict: StepVerdict, isOutput: boolean): Promise<HookVerdict> {
  const { action, by, asks, status, reason, evaluation, error } = verdict;
  const evidence = await evidenceOf(evaluation);
  const word = reasonWord(by, status ?? undefined, error);
  if (action === "continue") return { ...allowed(), ...evidence };
  if (action === "feedback" && !isOutput) return { ...allowed([{ reason: word, message: bounded(reason) }]), ...evidence };
  return { ...denied(word, reason, asks), ...evidence };
}

function reasonWord(by: string, status: string | undefined, error: unknown): string {
  if (by === "fault") return faultOf(error);
  return `adjudicate:${by === "guardrail" || status === undefined ? "guardrail" : status}`;
}

function faultOf(error: unknown): string {
  const code = error instanceof AdjudicateError ? error.code : "fault";
  return `runtime_error:${/^[a-z0-9_]{1,64}$/.test(code) ? code : "fault"}`;
}

function bounded(message: string): string {
  return (message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message).replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Returns the address of an evaluation. A platform without Web Crypto has none. */
async function evidenceOf(evaluation: Evaluation | null): Promise<Pick<HookVerdict, "evidence">> {
  const { subtle } = globalThis.crypto ?? {};
  if (evaluation === null || subtle === undefined) return {};
  const hash = await subtle.digest("SHA-256", jsonOf(evaluation));
  return { evidence: { artefact: `sha256:${hex(new Uint8Array(hash))}` } };
}

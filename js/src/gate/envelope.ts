/**
 * Makes envelopes from calls and steps. They have typed evidence only, because the engine would read a model's text as claims of the
 * transcript.
 */
import type { DiffFile, Envelope, Evidence, Outcome, ReviewIssue } from "../generated/types.js";
import { own } from "../own.js";
import { type Run, createRun } from "../run.js";
import { kindOf, wrongUsage } from "../usage.js";
import type { Rule } from "./options.js";
import type { CallOutcome } from "./outcomes.js";
import { wellFormed } from "./texts.js";

/** The next steps, in the order of preference. */
export const NEXT_STEPS = ["continue", "fix", "ask", "STOP"] as const;

const ROLES: NonNullable<Envelope["steps"]> = { continue: { role: "forward" }, fix: { role: "fix" }, ask: { role: "gate" } };

/** The artifact whose issues are the failed calls of a step. */
const TOOL_CALLS = "tool-calls";

/** The outcome for each finish reason of a model. Any other reason is the outcome `error`. */
const FINISHED: Readonly<Record<string, Outcome>> = {
  stop: "completed",
  "tool-calls": "completed",
  "content-filter": "killed_policy",
};

/** Returns a run for the steps of an agent. All its entries are evaluations, which the history has, so the window is empty. */
export function runOf(runId: string): Run {
  return createRun(
    {
      run_id: runId,
      workflow_id: "agent",
      step_id: "",
      evaluate_prompt: "gate.v1",
      allowed_next_steps: [...NEXT_STEPS],
      steps: ROLES,
    },
    { window: 0 },
  );
}

/** Returns an envelope with this evidence and without earlier steps. */
export function envelopeOf(runId: string, stepId: string, evidence: Evidence): Envelope {
  return { ...runOf(runId).envelope(evidence), step_id: stepId };
}

/**
 * Returns the evidence of a call before it runs: the files that it is going to change. No check can have run yet, so the evidence requires
 * none. Otherwise the engine would ask a human about every call (rule `unchecked`).
 */
export function evidenceOfCall(toolName: string, input: unknown, rule: Rule): Evidence {
  return { ...emptyEvidence("completed"), ...changesOf([[toolName, input, rule]]), required_validators: [] };
}

/** Returns the evidence reduced to its changed files. */
export function evidenceOfChanges(evidence: Evidence): Evidence {
  const { diff, workspace_diff_summary } = own(evidence);
  return { ...emptyEvidence("completed"), workspace_diff_summary: workspace_diff_summary ?? "", ...(diff && { diff }), required_validators: [] };
}

/** Returns the evidence of a finished step. */
export function evidenceOfStep(finishReason: unknown, calls: readonly CallOutcome[], rules: ReadonlyMap<string, Rule>): Evidence {
  const outcome = typeof finishReason === "string" && Object.hasOwn(FINISHED, finishReason) ? FINISHED[finishReason] : undefined;
  // An open call may run elsewhere, so it counts as run.
  const ran = calls.filter(({ state }) => state === "done" || state === "failed" || state === "open");
  const known = ran.flatMap(({ toolName, input }) => {
    const rule = rules.get(toolName);
    return rule === undefined ? [] : [[toolName, input, rule] as const];
  });
  const policy_events = calls.flatMap(({ toolName, state }) => {
    const name = wellFormed(toolName);
    if (state === "waiting") return [`approval_required:${name}`];
    // The tool is unknown to the gate, but its call ran.
    const isForbidden = state !== "denied" && state !== "refused" && !rules.has(toolName);
    return isForbidden ? [`forbidden_operation:${name}`] : [];
  });
  const evidence: Evidence = { ...emptyEvidence(outcome ?? "error"), ...changesOf(known), policy_events };
  const issues = calls.flatMap((call, at) => issueOf(call, at));
  if (issues.length === 0) return evidence;
  // The engine reports a review whose artifact is not listed as a missing artifact.
  return { ...evidence, artifacts: [TOOL_CALLS], review: { artifact_ref: TOOL_CALLS, issues } };
}

/** Returns true if evidence has a review other than the gate's list of failed calls. */
export function isReviewed(evidence: Evidence): boolean {
  const { artifact_ref } = own(own(evidence).review);
  return artifact_ref !== undefined && artifact_ref !== TOOL_CALLS;
}

/** Returns the issue for a call that failed or was denied. */
function issueOf({ toolName, state, reason }: CallOutcome, at: number): ReviewIssue[] {
  if (state !== "failed" && state !== "denied" && state !== "refused") return [];
  const target = wellFormed(toolName);
  const rationale = wellFormed(reason) || "no reason was given";
  const [summary, action] =
    state === "denied"
      ? [`the call of \`${target}\` was denied`, "do not repeat this call; follow the reason, or continue without it"]
      : [`the call of \`${target}\` failed`, "repeat it with other input, or continue without it"];
  return [{ id: `call-${at + 1}`, summary, severity: "medium", edit: { target, action, rationale } }];
}

function emptyEvidence(outcome: Outcome): Evidence {
  return {
    transcript_summary: "",
    workspace_diff_summary: "",
    validation: { mechanical_outcome: outcome, exit_codes: {}, timeouts: [] },
    artifacts: [],
    policy_events: [],
    step_intent: "other",
  };
}

/** Returns the changes of calls. If a call does not list its files, the changes are unknown. */
function changesOf(calls: readonly (readonly [string, unknown, Rule])[]): Pick<Evidence, "workspace_diff_summary" | "diff"> {
  const files: DiffFile[] = [];
  const silent: string[] = [];
  for (const [name, input, { changes }] of calls) {
    if (changes === undefined) silent.push(wellFormed(name));
    else files.push(...filesOf(name, changes((input ?? {}) as object)));
  }
  // The engine knows no such format of a summary, so the diff is opaque.
  if (files.length === 0 && silent.length > 0) return { workspace_diff_summary: `unknown changes by ${silent.join(", ")}` };
  // In addition to the known files, any file of the workspace may have changed.
  if (silent.length > 0) files.push({ path: ".", change: "modified", kind: "directory" });
  return { workspace_diff_summary: "", diff: { files } };
}

/** Returns the list of files. Any other value is an error, because it must not count as an empty list. */
function filesOf(toolName: string, files: unknown): readonly DiffFile[] {
  if (Array.isArray(files)) return files as DiffFile[];
  throw wrongUsage(`\`changes\` of \`${wellFormed(toolName)}\` must return a list of files, found ${kindOf(files)}`);
}

/**
 * From calls and steps to envelopes: typed evidence and nothing else. What a model wrote is not among it, for prose is not
 * evidence, and would be read as the transcript's claims.
 */
import type { DiffFile, Envelope, Evidence, Outcome, ReviewIssue } from "../generated/types.js";
import { own } from "../own.js";
import { kindOf, wrongUsage } from "../usage.js";
import type { Rule } from "./options.js";
import type { Outcomes } from "./outcomes.js";
import type { Loop } from "./steps.js";
import { wellFormed } from "./words.js";

/** What may come next, in the order of preference. */
export const NEXT_STEPS = ["continue", "fix", "ask", "STOP"] as const;

const ROLES: Envelope["steps"] = { continue: { role: "forward" }, fix: { role: "fix" }, ask: { role: "gate" } };

/** The artifact in which a step's failed calls are issues. */
const TOOL_CALLS = "tool-calls";

/** How a model's reasons to end are to be taken; any that is not here is an error. */
const FINISHED: Readonly<Record<string, Outcome>> = {
  stop: "completed",
  "tool-calls": "completed",
  "content-filter": "killed_policy",
};

/** An envelope around evidence. */
export function envelopeOf(runId: string, stepId: string, evidence: Evidence, loop?: Loop): Envelope {
  const envelope: Envelope = {
    run_id: runId,
    workflow_id: "agent",
    step_id: stepId,
    evaluate_prompt: "gate.v1",
    allowed_next_steps: [...NEXT_STEPS],
    provenance_window: [],
    evidence,
    evaluate_history: [...(loop?.history ?? [])],
    ...(ROLES && { steps: ROLES }),
  };
  if (loop?.refinement !== undefined) envelope.refinement = loop.refinement;
  return envelope;
}

/**
 * The evidence of a call that is about to run: the files that it is going to change. Before the call no check can have run,
 * so the evidence says that none is required; without that the engine would ask a human about every call (`unchecked`).
 */
export function evidenceOfCall(toolName: string, input: unknown, rule: Rule): Evidence {
  return { ...nothing("completed"), ...changesOf([[toolName, input, rule]]), required_validators: [] };
}

/** What evidence says of changed files, and nothing else. */
export function evidenceOfChanges(evidence: Evidence): Evidence {
  const { diff, workspace_diff_summary } = own(evidence);
  return { ...nothing("completed"), workspace_diff_summary: workspace_diff_summary ?? "", ...(diff && { diff }), required_validators: [] };
}

/** The evidence of a finished step. */
export function evidenceOfStep(finishReason: unknown, outcomes: Outcomes, rules: ReadonlyMap<string, Rule>): Evidence {
  const outcome = typeof finishReason === "string" && Object.hasOwn(FINISHED, finishReason) ? FINISHED[finishReason] : undefined;
  // Nobody knows of an open call whether it runs somewhere else.
  const ran = outcomes.calls.filter(({ state }) => state === "done" || state === "failed" || state === "open");
  const known = ran.flatMap(({ toolName, input }) => {
    const rule = rules.get(toolName);
    return rule === undefined ? [] : [[toolName, input, rule] as const];
  });
  const evidence: Evidence = { ...nothing(outcome ?? "error"), ...changesOf(known) };
  for (const { toolName, state } of outcomes.calls) {
    const name = wellFormed(toolName);
    if (state === "waiting") evidence.policy_events.push(`approval_required:${name}`);
    // Whoever ran it did not ask, or was not told no.
    else if (state !== "denied" && state !== "refused" && !rules.has(toolName))
      evidence.policy_events.push(`forbidden_operation:${name}`);
  }
  const issues = outcomes.calls.flatMap((call, at) => issueOf(call, at));
  if (issues.length > 0) {
    evidence.review = { artifact_ref: TOOL_CALLS, issues };
    // A review that is not among the artifacts is a missing artifact.
    evidence.artifacts.push(TOOL_CALLS);
  }
  return evidence;
}

/** Whether evidence holds a review other than the gate's own list of failed calls, which reviews no work. */
export function isReviewed(evidence: Evidence): boolean {
  const { artifact_ref } = own(own(evidence).review);
  return artifact_ref !== undefined && artifact_ref !== TOOL_CALLS;
}

/** A call that did not work, or was not allowed, is an issue that the model can do something about. */
function issueOf({ toolName, state, reason }: Outcomes["calls"][number], at: number): ReviewIssue[] {
  if (state !== "failed" && state !== "denied" && state !== "refused") return [];
  const target = wellFormed(toolName);
  const rationale = wellFormed(reason) || "no reason was given";
  const [summary, action] =
    state === "denied"
      ? [`the call of \`${target}\` was denied`, "do not repeat this call; do what the reason says, or do without it"]
      : [`the call of \`${target}\` failed`, "repeat it with input that works, or do without it"];
  return [{ id: `call-${at + 1}`, summary, severity: "medium", edit: { target, action, rationale } }];
}

function nothing(outcome: Outcome): Evidence {
  return {
    transcript_summary: "",
    workspace_diff_summary: "",
    validation: { mechanical_outcome: outcome, exit_codes: {}, timeouts: [] },
    artifacts: [],
    policy_events: [],
    step_intent: "other",
  };
}

/** What calls change; where one does not say, it is not known. */
function changesOf(calls: readonly (readonly [string, unknown, Rule])[]): Pick<Evidence, "workspace_diff_summary" | "diff"> {
  const files: DiffFile[] = [];
  const silent: string[] = [];
  for (const [name, input, { changes }] of calls) {
    if (changes === undefined) silent.push(wellFormed(name));
    else files.push(...filesOf(name, changes((input ?? {}) as object)));
  }
  // No format that is known, so the diff is opaque.
  if (files.length === 0 && silent.length > 0) return { workspace_diff_summary: `whatever was changed by ${silent.join(", ")}` };
  // Beside files that are known, whatever is in the workspace may have changed.
  if (silent.length > 0) files.push({ path: ".", change: "modified", kind: "directory" });
  return { workspace_diff_summary: "", diff: { files } };
}

/** The files that were named. What is no list says nothing about files, and is not taken for none. */
function filesOf(toolName: string, files: unknown): readonly DiffFile[] {
  if (Array.isArray(files)) return files as DiffFile[];
  throw wrongUsage(`\`changes\` of \`${wellFormed(toolName)}\` gives a list of files, found ${kindOf(files)}`);
}

/** Envelopes and policies for the tests. */

/** An envelope of a successful step. */
export function envelope(changes = {}) {
  return {
    run_id: "run-1",
    workflow_id: "release",
    step_id: "evaluate",
    evaluate_prompt: "release.v1",
    allowed_next_steps: ["publish", "fix"],
    provenance_window: [],
    evidence: {
      transcript_summary: "",
      workspace_diff_summary: " M src/lib.rs\n",
      validation: { mechanical_outcome: "completed", exit_codes: { test: 0 }, timeouts: [] },
      artifacts: [],
      policy_events: [],
    },
    ...changes,
  };
}

/** A policy that the envelope violates. */
export const STRICT_POLICY = { policy: "strict", version: "1.0.0", forbidden_paths: ["src/**"] };

/** An envelope of a step with a failed test and a fix step. */
export const FAILING = envelope({
  evidence: { ...envelope().evidence, validation: { mechanical_outcome: "completed", exit_codes: { test: 1 }, timeouts: [] }, artifacts: ["logs/test.log"] },
});

/** A policy with one rule. */
export const RULED_POLICY = {
  policy: "ruled",
  version: "1.0.0",
  rules: [
    { id: "large_change", when: { ">": [{ var: "facts.diff.count" }, 20] }, then: { status: "needs_human", flag: "large_change", summary: "many files changed" } },
  ],
};

/** The examples of the page: their cases, and the changes for the other version of a policy. */

/** New values by JSON Pointers. A pointer that ends in `-` adds to a list. */
export type PolicyChanges = Readonly<Record<string, unknown>>;

export interface DecisionSource {
  readonly id: string;
  readonly title: string;
  /** The group of examples in the menu. */
  readonly group: string;
  /** One sentence about what the example shows. */
  readonly about: string;
  /** A case of `evaluate` or `explain`. Without it, the source is a case of a policy below `fixtures/`. */
  readonly call?: string;
  readonly policy?: string;
  readonly cases?: string;
  readonly named?: string;
  /** The changes for the other version of the policy. */
  readonly other: PolicyChanges;
}

export interface PlanSource {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly about: string;
  /** A case of `validate_plan`. */
  readonly call: string;
}

export const DECISIONS: readonly DecisionSource[] = [
  {
    id: "claimed-tests",
    title: "The agent claims that tests passed",
    group: "Start here",
    about: "The agent says that the tests passed, and the exit code says that they did not.",
    call: "evaluate/readme-agent-claims-tests-passed",
    other: {},
  },
  {
    id: "failing-integration",
    title: "A failing integration test",
    group: "A change",
    about: "An integration test fails, so the fixes come next.",
    call: "evaluate/run-rust-service-failing-integration",
    other: {
      "/version": "3.3.0",
      "/protected_paths/-": "services/gateway/src/middleware/**",
      "/required_validators/-": "cargo-audit",
    },
  },
  {
    id: "flaky-release",
    title: "A release with a flaky case",
    group: "A release",
    about: "A case passes only on its second run, and the policy stops the release.",
    policy: "policies/release-gate.yaml",
    cases: "policies/release-gate.cases.yaml",
    named: "one flaky case stops the release",
    other: {
      "/version": "2.4.0",
      "/rules/7/then/status": "needs_human",
      "/rules/7/then/summary": "a human reviews the flaky cases of the release suite",
      "/rules/10/mode": "enforce",
    },
  },
  {
    id: "signed-release",
    title: "A release with one signature",
    group: "A release",
    about: "Two people must approve the release, and one did.",
    policy: "policies/release-gate.yaml",
    cases: "policies/release-gate.cases.yaml",
    named: "one signature is half of it",
    other: { "/version": "2.4.0", "/rules/9/mode": "monitor" },
  },
  {
    id: "clean-docs",
    title: "Documentation without findings",
    group: "A change",
    about: "Nothing is wrong, so the pull request may be opened.",
    call: "evaluate/run-docs-only-clean",
    other: { "/version": "2.1.0", "/required_validators/-": "link-check" },
  },
  {
    id: "protected-paths",
    title: "A protected path without an approval",
    group: "A change",
    about: "A protected path changed, so a human must approve it.",
    call: "evaluate/run-typescript-monorepo-protected-paths",
    other: { "/version": "7.1.0", "/forbidden_paths/-": "infra/cdn/**" },
  },
  {
    id: "interrupted",
    title: "A nightly run, interrupted again",
    group: "A loop",
    about: "A run was killed twice, so it is not tried again.",
    call: "evaluate/run-nightly-upgrade-killed-again",
    other: { "/version": "1.7.0", "/profile": "oa06", "/required_validators/-": "smoke-test" },
  },
  {
    id: "third-partial",
    title: "The third partial result in a row",
    group: "A loop",
    about: "The third partial result in a row goes to a human.",
    call: "evaluate/run-python-pipeline-third-partial",
    other: { "/version": "2.5.0", "/parameters/partial_threshold": 4 },
  },
  {
    id: "unbacked-login",
    title: "An unreviewed change to the login",
    group: "A change",
    about: "The step does not say its intent, and the policy wants a review.",
    policy: "policies/identity-service.yaml",
    cases: "policies/identity-service.cases.yaml",
    named: "a step that does not say its intent needs a review",
    other: { "/version": "4.1.0", "/rules/3/on_unknown": "escalate" },
  },
  {
    id: "unchecked",
    title: "A finished step without checks",
    group: "Evidence",
    about: "No check has a result, and unknown is never success.",
    call: "evaluate/rule-unchecked-fires-nothing-has-a-result",
    other: {},
  },
  {
    id: "no-check-required",
    title: "A finished step, and the policy requires no check",
    group: "Evidence",
    about: "The policy requires no check, so none is missing.",
    call: "evaluate/rule-unchecked-quiet-policy-requires-none",
    other: { "/version": "1.1.0", "/required_validators/-": "unit-tests" },
  },
  {
    id: "ambiguous-route",
    title: "Two next steps without a role",
    group: "A loop",
    about: "Two next steps have no role, so none of them is guessed.",
    call: "evaluate/rule-ambiguous-route-fires-two-unclassified",
    other: {},
  },
  {
    id: "four-statuses",
    title: "Four statuses at once, without a policy",
    group: "Evidence",
    about: "Four statuses apply, and the most severe one decides.",
    call: "explain/precedence-four-statuses",
    other: {},
  },
];

export const PLANS: readonly PlanSource[] = [
  { id: "rejected", title: "Rejected with many diagnostics", group: "Diagnostics", about: "Most checks of a plan find something.", call: "validate_plan/pipeline-rejected-everything-at-once" },
  { id: "story-1", title: "A story, 1: the review is missing", group: "A story", about: "The plan lacks the review that its task requires.", call: "validate_plan/story-1-no-review-is-rejected" },
  { id: "story-2", title: "A story, 2: the suggested node", group: "A story", about: "The suggested node is there, but no edge leads to it.", call: "validate_plan/story-2-the-suggested-node-without-edges" },
  { id: "story-3", title: "A story, 3: the suggested edge", group: "A story", about: "The suggested edge is there, and advice remains.", call: "validate_plan/story-3-the-suggested-edge-is-added" },
  { id: "story-4", title: "A story, 4: the advice is taken", group: "A story", about: "The advice is taken, and the plan is accepted.", call: "validate_plan/story-4-the-advice-is-taken" },
  { id: "parallel", title: "Accepted, with parallel parts", group: "Diagnostics", about: "Parts of the plan run side by side, without a finding.", call: "validate_plan/clean-parallel-parts" },
  { id: "cycle", title: "Two cycles of nodes", group: "Diagnostics", about: "Two cycles keep the plan from having an order.", call: "validate_plan/cycle-of-two-knots" },
];

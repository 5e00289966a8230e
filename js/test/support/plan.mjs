/** A plan, its output and its run: a text is written, reviewed and published. */
import operations from "../../../tests/schemas/operations.json" with { type: "json" };
import { PLANNING_CALLS } from "./planning.mjs";

const CONTRACT = {
  schema: { type: "object", required: ["copy"], properties: { copy: { type: "string" }, review: { type: "object" } } },
  constraints: [{ constraintId: "min_qa", expr: { ">=": [{ var: "review.score" }, 0.8] }, level: "hard" }],
};

const CAPABILITIES = [
  { capabilityId: "Writer", outputFacets: ["copy"] },
  { capabilityId: "Reviewer", kind: "validation", inputFacets: ["copy"], outputFacets: ["review"] },
  { capabilityId: "Publisher", inputFacets: ["copy"] },
];

/** The facets of inputs and outputs. */
export const FACETS = ["copy", "review"].map((name) => ({ name, schema: true, direction: "bidirectional" }));

const node = (nodeId, capabilityId) => ({ nodeId, capabilityId });

const call = (nodes, edges) => ({
  task: { objective: "a post about tea", outputContract: CONTRACT },
  plan: { nodes, edges },
  capabilities: CAPABILITIES,
});

/** A plan without a review. */
export const UNREVIEWED = call(
  [node("write", "Writer"), node("publish", "Publisher")],
  [{ from: "write", to: "publish" }],
);

/** A diagnostic of another validator. */
export const TONE = {
  severity: "soft",
  status: "unsatisfied",
  constraintId: "tone",
  cause: "unsatisfied_soft",
  suggestion: "be warmer",
};

/** An output whose review has too many findings. */
export const OUTPUT = { copy: "Tea!", review: { score: 0.7 } };

/** The same diagnostic about the output, twice. */
const MERGED = { diagnostics: [TONE, { ...TONE, suggestion: "ask less" }], weights: { soft: 1 } };

/** The output, and its contract. */
const OBSERVED = { outputContract: CONTRACT, output: OUTPUT };

/** The guardrails of the run, and an event. */
export const GUARDED = {
  policies: [
    {
      id: "again",
      trigger: { kind: "onNodeComplete", nodeId: "review" },
      condition: { "<": [{ var: "review.score" }, 0.8] },
      action: { type: "retry", maxAttempts: 1 },
    },
    { id: "late", trigger: { kind: "onTimeout", ms: 1000 }, action: { type: "fail", message: "too late" } },
  ],
  event: { kind: "onNodeComplete", node: { nodeId: "review" }, output: OUTPUT },
  state: { retries: { again: 0 } },
};

/** The operations on anything but envelopes and policies, with their examples. */
const EXAMPLES = Object.entries(operations).filter(([, { policy }]) => policy === false).map(([name, { example }]) => [name, example]);

/** A call of each of these operations. */
export const PLAN_CALLS = {
  ...Object.fromEntries(EXAMPLES),
  validate_plan: UNREVIEWED,
  merge_diagnostics: MERGED,
  observe_output: OBSERVED,
  apply_guardrails: GUARDED,
  ...PLANNING_CALLS,
};

/** Returns the name of the method for an operation. */
export const methodOf = (operation) => operation.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

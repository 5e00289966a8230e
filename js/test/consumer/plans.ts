/** A strict TypeScript user's code with plans and guardrails. Compiled, never run. */
import type {
  Action,
  ActionReason,
  Actions,
  Bundle,
  BundleStatus,
  Capability,
  Constraint,
  DiagnosticCause,
  Engine,
  GuardrailEvent,
  Observation,
  OutputContract,
  PlanAnswer,
  PlanCode,
  PlanDiagnostic,
  PlanGraph,
  PlanOperations,
  PlanRejected,
  PostCondition,
  RunState,
  RuntimePolicy,
  TaskEnvelope,
  Trigger,
  TrimmedNode,
  ValidatePlanCall,
} from "adjudicate";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

assertType<Equal<ReturnType<Engine["validatePlan"]>, PlanAnswer>>();
assertType<Equal<ReturnType<Engine["validatePlanText"]>, string>>();
assertType<Equal<ReturnType<Engine["mergeDiagnostics"]>, Bundle>>();
assertType<Equal<ReturnType<Engine["observeOutput"]>, Observation>>();
assertType<Equal<ReturnType<PlanOperations["applyGuardrails"]>, Actions>>();
assertType<Equal<PlanAnswer["event"], "plan_generated" | "plan_updated" | "plan_rejected">>();
assertType<Equal<PlanRejected["payload"]["status"], "rejected">>();
assertType<Equal<Bundle["status"], BundleStatus>>();
assertType<Equal<PlanDiagnostic["nodeId"], string | undefined>>();
assertType<Equal<Trigger["kind"], GuardrailEvent["kind"]>>();
assertType<Equal<Actions["actions"][number]["reason"], ActionReason | undefined>>();
assertType<Equal<Extract<PlanCode, "cycle" | "constraint_met">, "cycle" | "constraint_met">>();

const outputContract: OutputContract = {
  schema: { type: "object", required: ["copy"] },
  hints: { variantPath: "/variants", tone: "warm" },
  constraints: [{ constraintId: "min_qa", expr: { ">=": [{ var: "review.score" }, 0.8] }, level: "hard", "x-owner": 1 }],
};
const policy: RuntimePolicy = {
  id: "review",
  trigger: { kind: "onMetricBelow", metric: "qa", threshold: 0.8, selector: { kind: "validation" } },
  condition: true,
  action: { type: "hitl", rationale: "low", approveAction: { type: "retry", maxAttempts: 1 }, rejectAction: "drop" },
};
const task: TaskEnvelope = {
  objective: "a post",
  inputs: { topic: "tea" },
  outputContract,
  policies: { planner: { topology: { variantCount: 2, shape: "fan" }, model: "any" }, runtime: [policy] },
  specialInstructions: ["be warm"],
};
const capabilities: Capability[] = [
  { capabilityId: "Writer", outputFacets: ["copy"], postConditions: [{ "!!": [{ var: "copy" }] }] },
  { capabilityId: "Reviewer", kind: "validation", outputContract: { schema: true } },
];
const plan: PlanGraph = {
  nodes: [{ nodeId: "write", capabilityId: "Writer" }, { nodeId: "review", capabilityId: "Reviewer" }],
  edges: [{ from: "write", to: "review", reason: "first things first" }],
};

/** The field `event` discriminates answers. */
export function judge(engine: Engine): string[] {
  const call: ValidatePlanCall = { task, plan, capabilities, "x-id": 1 };
  const answer = engine.validatePlan(call);
  switch (answer.event) {
    case "plan_generated":
      return answer.payload.nodes.map(({ nodeId, enforces }: TrimmedNode) => `${nodeId}: ${enforces.join()}`);
    case "plan_updated":
      return answer.payload.resolved.map(help);
    case "plan_rejected":
      return answer.payload.failures.map(help);
  }
}

/** The next call takes the payload of any answer. */
export function again(engine: Engine, { payload }: PlanAnswer): (number | null)[] {
  const constraints: Constraint[] = [{ expr: { "!!": [{ var: "copy" }] }, level: "informational" }];
  const next = engine.validatePlan({ task: { ...task, constraints }, plan, capabilities, previous: payload });
  return next.payload.constraintScores.map(({ score }) => score);
}

function help({ cause, details, suggestion }: PlanDiagnostic): string {
  if (details?.code === "cycle") return "a circle";
  switch (cause satisfies DiagnosticCause) {
    case "missing_producer":
    case "missing_enforcer":
      return suggestion ?? "";
    case "schema_incompatible":
    case "unsatisfied_soft":
    case "advisory":
      return cause;
  }
}

export function merge(engine: Engine, answer: PlanAnswer): number {
  const { failures, warnings, infos } = answer.payload;
  const ours: PlanDiagnostic = { severity: "soft", status: "unsatisfied", cause: "advisory", details: { code: "ours", n: 1 } };
  const bundle: Bundle = engine.mergeDiagnostics({ diagnostics: [...failures, ...warnings, ...infos, ours], weights: { hard: 2 } });
  return bundle.satisfactionScore + engine.observeOutput({ outputContract, output: 7 }).observedSatisfaction;
}

/** The field `type` discriminates actions, and `kind` triggers. */
export function act(engine: Engine, state: RunState): string[] {
  const event: GuardrailEvent = { kind: "onMetricBelow", metrics: { qa: 0.7 }, output: null };
  const { actions, payloads } = engine.call("apply_guardrails", { policies: [policy], event, state });
  return [...actions.map(({ action }) => described(action)), ...payloads.map(({ trigger, diagnostic }) => `${diagnostic.nodeId}: ${awaited(trigger)}`)];
}

function described(action: Action): string {
  switch (action.type) {
    case "retry":
      return `${action.maxAttempts}`;
    case "pause":
      return action.reason;
    case "hitl":
      return typeof action.approveAction === "string" ? action.approveAction : action.rationale;
    case "replan":
      return action.rationale ?? "";
    case "fail":
      return action.message;
    case "emit":
      return action.event;
  }
}

function awaited(trigger: Trigger): string {
  if (trigger.kind === "onTimeout") return `${trigger.ms} ms`;
  if (trigger.kind === "onMetricBelow") return `${trigger.metric} < ${trigger.threshold}`;
  return trigger.selector?.nodeId ?? trigger.kind;
}

// @ts-expect-error: no action changes a plan
export const goto: Action = { type: "goto", nodeId: "n" };
// @ts-expect-error: a field of another action
export const mixed: Action = { type: "pause", reason: "r", maxAttempts: 1 };
// @ts-expect-error: `onTimeout` needs `ms`
export const untimed: Trigger = { kind: "onTimeout" };
// @ts-expect-error: no other trigger has `ms`
export const timed: Trigger = { kind: "onStart", ms: 1 };
export const levelled: PostCondition = { expr: { "!": [true] }, level: "soft" };
// @ts-expect-error: a level is not an operator
export const noExpression: PostCondition = { level: "soft" };
// @ts-expect-error: absent is not null
export const nullish: PlanGraph = { nodes: [], edges: [], planVersion: null };
// @ts-expect-error: an accepted plan does not have this status
export const accepted: PlanAnswer = { event: "plan_generated", payload: { planVersion: 1, nodes: [], status: "rejected", satisfactionScore: 1, failures: [], warnings: [], infos: [], constraintScores: [] } };
// @ts-expect-error: text is a string or bytes
export const text = (engine: Engine) => engine.validatePlanText({ task, plan, capabilities });
// @ts-expect-error: an operation takes its own call
export const other = (engine: Engine) => engine.call("observe_output", { policies: [] });

/** A strict TypeScript user's code with plans, guardrails and planning. Compiled, never run. */
import type {
  Action,
  Capability,
  DiagnosticCause,
  Engine,
  GuardrailEvent,
  HashMode,
  Ledger,
  OutputContract,
  PlanAnswer,
  PlanCode,
  PlanDiagnostic,
  PlanGraph,
  PlannerOutput,
  PlanningGate,
  PlanningTurn,
  PlanRejected,
  PostCondition,
  ReplayCode,
  ReplayEvent,
  ReplayReport,
  RunState,
  RuntimePolicy,
  StopReason,
  Subtask,
  TaskEnvelope,
  Trigger,
  TrimmedNode,
  ValidatePlanCall,
} from "adjudicate";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

assertType<Equal<PlanAnswer["event"], "plan_generated" | "plan_updated" | "plan_rejected">>();
assertType<Equal<PlanRejected["payload"]["status"], "rejected">>();
assertType<Equal<PlanDiagnostic["nodeId"], string | undefined>>();
assertType<Equal<Trigger["kind"], GuardrailEvent["kind"]>>();
assertType<Equal<Extract<PlanCode, "cycle" | "constraint_met">, "cycle" | "constraint_met">>();
assertType<Equal<ReplayReport["hash_mode"], HashMode | null>>();
assertType<Equal<Extract<ReplayCode, "unknown_step">, "unknown_step">>();

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
const task: TaskEnvelope = { objective: "a post", inputs: { topic: "tea" }, outputContract, policies: { planner: { topology: { shape: "fan" } }, runtime: [policy] } };
const capabilities: Capability[] = [{ capabilityId: "Writer", outputFacets: ["copy"], postConditions: [{ "!!": [{ var: "copy" }] }] }];
const plan: PlanGraph = { nodes: [{ nodeId: "write", capabilityId: "Writer" }], edges: [] };

/** The field `event` discriminates answers, and the next call takes the payload of any answer. */
export function judge(engine: Engine): string[] {
  const call: ValidatePlanCall = { task, plan, capabilities, "x-id": 1 };
  const answer = engine.validatePlan(call);
  engine.validatePlan({ task, plan, capabilities, previous: answer.payload });
  switch (answer.event) {
    case "plan_generated":
      return answer.payload.nodes.map(({ nodeId, enforces }: TrimmedNode) => `${nodeId}: ${enforces.join()}`);
    case "plan_updated":
      return answer.payload.resolved.map(help);
    case "plan_rejected":
      return answer.payload.failures.map(help);
  }
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

/** The field `type` discriminates actions, and `kind` triggers. */
export function act(engine: Engine, state: RunState): string[] {
  const event: GuardrailEvent = { kind: "onMetricBelow", metrics: { qa: 0.7 }, output: null };
  const { actions, payloads } = engine.call("apply_guardrails", { policies: [policy], event, state });
  return [...actions.map(({ action }) => described(action)), ...payloads.map(({ trigger }) => awaited(trigger))];
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

const subtasks: Subtask[] = [{ action: "read", target: "src/parse.rs", instruction: "look", priority: 1 }];
const outputs: PlannerOutput[] = [
  subtasks,
  { subtasks, model: "any" },
  { implementation_steps: "- look\n- mend", risk_factors: ["none"] },
  { nodes: [{ nodeId: "write" }, { nodeId: "review", kind: "validation" }], edges: [{ from: "write", to: "review" }] },
];
const log: ReplayEvent[] = [
  { event: "PlanStart", step_count: 1, t: "2026-01-13T10:00:00Z" },
  { type: "ToolCall", ts: 1768298402, id: "1", step_id: "look", tool: "grep" },
];
const turn: PlanningTurn = { n: 1, confidence: 0.4, uncertainty: 0.8, exploration_plan: ["read", { tool: "read", action: "read the callers" }], queries: [{ key: "k", source: "s" }] };
const ledger: Ledger = { goal: "g", turns: [turn] };

/** A plan goes from its planner to its replay, and the gates stop its turns. */
export function replay(engine: Engine): (string | PlanningGate | StopReason)[] {
  const { gate, stop_report } = engine.deliberate(ledger);
  const lines = outputs.flatMap((output) => {
    const { plan, plan_hash, adapter } = engine.normalizePlan({ plan: output, hash_mode: "canonical", "x-id": 1 });
    const { linked, findings } = engine.verifyReplay({ plan, events: log, receipt: { plan_hash, signed_by: "us" } });
    return linked ? adapter.kept.map(({ path }) => path) : findings.map(({ code, line }) => `${line ?? 0}: ${code}`);
  });
  return [...lines, stop_report?.stop_reason ?? gate];
}

// @ts-expect-error: no action changes a plan
export const goto: Action = { type: "goto", nodeId: "n" };
// @ts-expect-error: a field of another action
export const mixed: Action = { type: "pause", reason: "r", maxAttempts: 1 };
// @ts-expect-error: `onTimeout` needs `ms`
export const untimed: Trigger = { kind: "onTimeout" };
// @ts-expect-error: no other trigger has `ms`
export const timed: Trigger = { kind: "onStart", ms: 1 };
// @ts-expect-error: a level is not an operator
export const noExpression: PostCondition = { level: "soft" };
// @ts-expect-error: absent is not null
export const nullish: PlanGraph = { nodes: [], edges: [], planVersion: null };
// @ts-expect-error: a plan of an unknown form
export const prose: PlannerOutput = { plan: "do it" };
// @ts-expect-error: text is a string or bytes
export const text = (engine: Engine) => engine.validatePlanText({ task, plan, capabilities });

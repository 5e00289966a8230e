/** A strict TypeScript user's code with planning. Compiled, never run. */
import type {
  Complexity,
  Deliberation,
  Engine,
  HashMode,
  Ledger,
  NormalizedPlan,
  PlanIr,
  PlannerOutput,
  PlanningGate,
  PlanningOperations,
  PlanningTurn,
  ReplayCode,
  ReplayEvent,
  ReplayReport,
  StopReason,
  Subtask,
} from "adjudicate";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

assertType<Equal<ReturnType<Engine["normalizePlan"]>, NormalizedPlan>>();
assertType<Equal<ReturnType<Engine["normalizePlanText"]>, string>>();
assertType<Equal<ReturnType<Engine["verifyReplay"]>, ReplayReport>>();
assertType<Equal<ReturnType<PlanningOperations["deliberate"]>, Deliberation>>();
assertType<Equal<Parameters<Engine["deliberate"]>, [ledger: Ledger]>>();
assertType<Equal<ReplayReport["hash_mode"], HashMode | null>>();
assertType<Equal<ReplayReport["verification_delta"], number | null>>();
assertType<Equal<Deliberation["stop_report"], NonNullable<Deliberation["stop_report"]> | undefined>>();
assertType<Equal<PlanIr["complexity"], Complexity>>();
assertType<Equal<Extract<ReplayCode, "unknown_step">, "unknown_step">>();

const subtasks: Subtask[] = [{ action: "read", target: "src/parse.rs", instruction: "look", priority: 1 }];
const outputs: PlannerOutput[] = [
  subtasks,
  { subtasks, model: "any" },
  { implementation_steps: "- look\n- mend", risk_factors: ["none"] },
  { nodes: [{ nodeId: "write" }, { nodeId: "review", kind: "validation" }], edges: [{ from: "write", to: "review" }] },
];

/** A plan goes from its planner to its replay. */
export function replay(engine: Engine, events: ReplayEvent[]): string[] {
  return outputs.flatMap((output) => {
    const { plan, plan_hash, adapter } = engine.normalizePlan({ plan: output, hash_mode: "canonical", "x-id": 1 });
    const paths = [...adapter.inferred, ...adapter.kept].map(({ path }) => path);
    const { linked, findings } = engine.verifyReplay({ plan, events, receipt: { plan_hash, signed_by: "us" } });
    return linked ? paths : findings.map(({ code, line }) => `${line ?? 0}: ${code}`);
  });
}

export const log: ReplayEvent[] = [
  { event: "PlanStart", step_count: 1, t: "2026-01-13T10:00:00Z" },
  { type: "ToolCall", ts: 1768298402, id: "1", step_id: "look", tool: "grep" },
  { event: "ToolResult", id: "1" },
  { event: "StepComplete", step_id: "look", iterations: 1 },
];

const turn: PlanningTurn = { n: 1, confidence: 0.4, uncertainty: 0.8, exploration_plan: ["read", { tool: "read", action: "read the callers" }], queries: [{ key: "k", source: "s" }] };

/** Takes turns until the gates stop them. */
export function next(engine: Engine): PlanningGate | StopReason {
  const { gate, stop_report, budgets_left, reasons } = engine.deliberate({ goal: "g", turns: [turn] });
  if (budgets_left.iterations === 0) return stop_report?.stop_reason ?? gate;
  return reasons.some(({ code }) => code === "triad_missing") ? "escalate" : gate;
}

// @ts-expect-error: an unknown gate
export const pause: PlanningGate = "pause";
// @ts-expect-error: a plan of an unknown form
export const prose: PlannerOutput = { plan: "do it" };

/**
 * The operations on planning: canonical plans, replays, and the end of planning.
 */
import type {
  Deliberation,
  Ledger,
  NormalizePlanCall,
  NormalizedPlan,
  ReplayReport,
  VerifyReplayCall,
} from "./generated/types.js";
import type { PlanOperations } from "./plans.js";
import type { JsonText } from "./text.js";

/** The operations on planning, each for values and for JSON text. */
export interface PlanningOperations extends PlanOperations {
  /**
   * Converts a plan of any known planner to its canonical form, PlanIR. Also returns its hash, and a report of the inferred and the kept values.
   * Fields without an equivalent are in `x-source`.
   *
   * ```js
   * const { plan, plan_hash, adapter } = engine.normalizePlan({ plan: { subtasks } });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}; also for a plan whose steps depend on each other in a cycle.
   */
  normalizePlan(call: NormalizePlanCall): NormalizedPlan;

  /**
   * The same as {@link Engine.normalizePlan}, from JSON text to JSON text.
   *
   * ```js
   * const { plan_hash } = JSON.parse(engine.normalizePlanText('{"plan": {"subtasks": []}}'));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.normalizePlan}; `limit_exceeded` for more than 8 MiB.
   */
  normalizePlanText(call: JsonText): string;

  /**
   * Checks whether the events belong to a run of the plan, and lists the differences.
   *
   * ```js
   * const { linked, findings } = engine.verifyReplay({ plan, events, receipt: { plan_hash } });
   * for (const { code, message } of findings) console.log(`${code}: ${message}`);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}. Events of another plan are a finding, not an error.
   */
  verifyReplay(call: VerifyReplayCall): ReplayReport;

  /**
   * The same as {@link Engine.verifyReplay}, from JSON text to JSON text.
   *
   * ```js
   * const { linked } = JSON.parse(engine.verifyReplayText(`{"plan": ${planText}, "events": []}`));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.verifyReplay}; `limit_exceeded` for more than 8 MiB.
   */
  verifyReplayText(call: JsonText): string;

  /**
   * Decides if an agent may continue to plan, and lists its open duties. The agent must continue, switch its strategy, ask a question, commit
   * to its recommendation, or stop.
   *
   * ```js
   * const { gate, reasons, duties, stop_report } = engine.deliberate(ledger);
   * if (gate === "stop") console.log(stop_report.stop_reason);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}.
   */
  deliberate(ledger: Ledger): Deliberation;

  /**
   * The same as {@link Engine.deliberate}, from JSON text to JSON text.
   *
   * ```js
   * const { gate } = JSON.parse(engine.deliberateText(await readFile("ledger.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.deliberate}; `limit_exceeded` for more than 8 MiB.
   */
  deliberateText(ledger: JsonText): string;
}

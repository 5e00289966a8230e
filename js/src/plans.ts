/**
 * The operations on plans and on planning.
 *
 * Each call is one document, because its parts refer to each other. So the paths of errors begin at the call.
 */
import type {
  Actions,
  ApplyGuardrailsCall,
  Bundle,
  Deliberation,
  Ledger,
  MergeDiagnosticsCall,
  NormalizedPlan,
  NormalizePlanCall,
  Observation,
  ObserveOutputCall,
  PlanAnswer,
  ReplayReport,
  ValidatePlanCall,
  VerifyReplayCall,
} from "./generated/types.js";
import type { Operations } from "./operations.js";
import type { JsonText } from "./text.js";

/** The operations on plans, each for values and for JSON text. */
export interface PlanOperations extends Operations {
  /**
   * Checks if a plan can do its task; lists problems and suggestions.
   *
   * ```js
   * const { event, payload } = engine.validatePlan({ task, plan, capabilities, facets });
   * if (event === "plan_rejected") {
   *   for (const { details, suggestion } of payload.failures) console.log(`${details?.code}: ${suggestion}`);
   * }
   * // With an earlier payload, an accepted draft says which findings are gone and which are new.
   * const next = engine.validatePlan({ task, plan, capabilities, facets, previous: payload });
   * if (next.event === "plan_updated") console.log(next.payload.resolved.length, next.payload.introduced.length);
   * ```
   *
   * @throws {AdjudicateError} if the call is not of the documented form, or has no JSON form. A rejected plan is an answer, not an error.
   */
  validatePlan(call: ValidatePlanCall): PlanAnswer;

  /**
   * The same as {@link Engine.validatePlan}, from JSON text to JSON text.
   *
   * ```js
   * const { event } = JSON.parse(engine.validatePlanText(await readFile("plan.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}; `limit_exceeded` for more than 8 MiB.
   */
  validatePlanText(call: JsonText): string;

  /**
   * Merges diagnostics from any source into one bundle with a status and a score. The bundle has each diagnostic once, in an order that does
   * not depend on the order of the input.
   *
   * ```js
   * const { failures, warnings, infos } = payload;
   * const bundle = engine.mergeDiagnostics({ diagnostics: [...failures, ...warnings, ...infos, ...ours] });
   * console.log(bundle.status, bundle.satisfactionScore);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}.
   */
  mergeDiagnostics(call: MergeDiagnosticsCall): Bundle;

  /**
   * The same as {@link Engine.mergeDiagnostics}, from JSON text to JSON text.
   *
   * ```js
   * const bundle = engine.mergeDiagnosticsText('{"diagnostics": []}');
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlanText}.
   */
  mergeDiagnosticsText(call: JsonText): string;

  /**
   * Checks an output against its contract. Returns the schema violations, the state of each constraint, and a score.
   *
   * ```js
   * const { status, observedSatisfaction } = engine.observeOutput({ outputContract: task.outputContract, output });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}. An output that breaks its contract is an answer, not an error.
   */
  observeOutput(call: ObserveOutputCall): Observation;

  /**
   * The same as {@link Engine.observeOutput}, from JSON text to JSON text.
   *
   * ```js
   * const observation = engine.observeOutputText(`{"outputContract": ${contractText}, "output": ${outputText}}`);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlanText}.
   */
  observeOutputText(call: JsonText): string;

  /**
   * Returns the actions of guardrails for an event, in the order of the policies, up to the first `terminal` one. Your program carries out and
   * counts the actions. If a guardrail cannot be decided, its action asks a human.
   *
   * ```js
   * const event = { kind: "onNodeComplete", node: { nodeId: "review" }, output };
   * for (const { policyId, action, terminal } of engine.applyGuardrails({ policies, event, state }).actions) {
   *   console.log(`${policyId}: ${action.type}`);
   *   if (terminal) break;
   * }
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}; `invalid_policy` for a guardrail that would change the plan, or could never
   * fire.
   */
  applyGuardrails(call: ApplyGuardrailsCall): Actions;

  /**
   * The same as {@link Engine.applyGuardrails}, from JSON text to JSON text.
   *
   * ```js
   * const { payloads } = JSON.parse(engine.applyGuardrailsText(body));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.applyGuardrails}; `limit_exceeded` for more than 8 MiB.
   */
  applyGuardrailsText(call: JsonText): string;
}

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

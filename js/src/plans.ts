/**
 * The operations on plans: before a run, during it, and on its output.
 *
 * Each call is one document, because its parts refer to each other. So the paths of errors begin at the call.
 */
import { TEXT, sendCall, values } from "./codec.js";
import type {
  Actions,
  ApplyGuardrailsCall,
  Bundle,
  MergeDiagnosticsCall,
  ObserveOutputCall,
  Observation,
  PlanAnswer,
  ValidatePlanCall,
} from "./generated/types.js";
import { Operations, transportFor } from "./operations.js";
import type { JsonText } from "./text.js";
import { checkArguments } from "./usage.js";

/** The operations on plans, each for values and for JSON text. */
export abstract class PlanOperations extends Operations {
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
  validatePlan(call: ValidatePlanCall): PlanAnswer {
    const transport = transportFor(this, "validatePlan");
    checkArguments(arguments, 1, "`{ task, plan, capabilities, facets, previous }`");
    return sendCall(transport, "validate_plan", values<PlanAnswer>(), call);
  }

  /**
   * The same as {@link Engine.validatePlan}, from JSON text to JSON text.
   *
   * ```js
   * const { event } = JSON.parse(engine.validatePlanText(await readFile("plan.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}; `limit_exceeded` for more than 8 MiB.
   */
  validatePlanText(call: JsonText): string {
    const transport = transportFor(this, "validatePlanText");
    checkArguments(arguments, 1, "`{ task, plan, capabilities, facets, previous }`");
    return sendCall(transport, "validate_plan", TEXT, call);
  }

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
  mergeDiagnostics(call: MergeDiagnosticsCall): Bundle {
    const transport = transportFor(this, "mergeDiagnostics");
    checkArguments(arguments, 1, "`{ diagnostics, weights }`");
    return sendCall(transport, "merge_diagnostics", values<Bundle>(), call);
  }

  /**
   * The same as {@link Engine.mergeDiagnostics}, from JSON text to JSON text.
   *
   * ```js
   * const bundle = engine.mergeDiagnosticsText('{"diagnostics": []}');
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlanText}.
   */
  mergeDiagnosticsText(call: JsonText): string {
    const transport = transportFor(this, "mergeDiagnosticsText");
    checkArguments(arguments, 1, "`{ diagnostics, weights }`");
    return sendCall(transport, "merge_diagnostics", TEXT, call);
  }

  /**
   * Checks an output against its contract. Returns the schema violations, the state of each constraint, and a score.
   *
   * ```js
   * const { status, observedSatisfaction } = engine.observeOutput({ outputContract: task.outputContract, output });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}. An output that breaks its contract is an answer, not an error.
   */
  observeOutput(call: ObserveOutputCall): Observation {
    const transport = transportFor(this, "observeOutput");
    checkArguments(arguments, 1, "`{ outputContract, output }`");
    return sendCall(transport, "observe_output", values<Observation>(), call);
  }

  /**
   * The same as {@link Engine.observeOutput}, from JSON text to JSON text.
   *
   * ```js
   * const observation = engine.observeOutputText(`{"outputContract": ${contractText}, "output": ${outputText}}`);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlanText}.
   */
  observeOutputText(call: JsonText): string {
    const transport = transportFor(this, "observeOutputText");
    checkArguments(arguments, 1, "`{ outputContract, output }`");
    return sendCall(transport, "observe_output", TEXT, call);
  }

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
  applyGuardrails(call: ApplyGuardrailsCall): Actions {
    const transport = transportFor(this, "applyGuardrails");
    checkArguments(arguments, 1, "`{ policies, event, state }`");
    return sendCall(transport, "apply_guardrails", values<Actions>(), call);
  }

  /**
   * The same as {@link Engine.applyGuardrails}, from JSON text to JSON text.
   *
   * ```js
   * const { payloads } = JSON.parse(engine.applyGuardrailsText(body));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.applyGuardrails}; `limit_exceeded` for more than 8 MiB.
   */
  applyGuardrailsText(call: JsonText): string {
    const transport = transportFor(this, "applyGuardrailsText");
    checkArguments(arguments, 1, "`{ policies, event, state }`");
    return sendCall(transport, "apply_guardrails", TEXT, call);
  }
}

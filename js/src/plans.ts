/**
 * What an engine can be asked about plans: before they run, while they run, and about what came of them.
 *
 * Each question is one document, for its parts name each other; so paths of errors begin at the call.
 */
import { TEXT, askWhole, values } from "./face.js";
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
import { Operations, askerFor } from "./operations.js";
import type { JsonText } from "./text.js";
import { refuseMore } from "./usage.js";

/** The operations on plans, each for values and for JSON text. */
export abstract class PlanOperations extends Operations {
  /**
   * Says whether a plan can do what its task asks, what stands against it, and what would help.
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
   * @throws {AdjudicateError} when there is no answer: the call is not of the documented form, or has no JSON form. A
   * plan that cannot do it is an answer.
   */
  validatePlan(call: ValidatePlanCall): PlanAnswer {
    const asker = askerFor(this, "validatePlan");
    refuseMore(arguments, 1, "`{ task, plan, capabilities, facets, previous }` is all");
    return askWhole(asker, "validate_plan", values<PlanAnswer>(), call);
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
    const asker = askerFor(this, "validatePlanText");
    refuseMore(arguments, 1, "`{ task, plan, capabilities, facets, previous }` is all");
    return askWhole(asker, "validate_plan", TEXT, call);
  }

  /**
   * Merges diagnostics, wherever they come from, into one bundle: each once, in one order, with the status and the score
   * that follow. The order in which they are given does not matter.
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
    const asker = askerFor(this, "mergeDiagnostics");
    refuseMore(arguments, 1, "`{ diagnostics, weights }` is all");
    return askWhole(asker, "merge_diagnostics", values<Bundle>(), call);
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
    const asker = askerFor(this, "mergeDiagnosticsText");
    refuseMore(arguments, 1, "`{ diagnostics, weights }` is all");
    return askWhole(asker, "merge_diagnostics", TEXT, call);
  }

  /**
   * Holds an output against its contract: what its schema does not allow, which constraints hold, and the score that
   * follows.
   *
   * ```js
   * const { status, observedSatisfaction } = engine.observeOutput({ outputContract: task.outputContract, output });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}. An output that is not what it must be is an answer.
   */
  observeOutput(call: ObserveOutputCall): Observation {
    const asker = askerFor(this, "observeOutput");
    refuseMore(arguments, 1, "`{ outputContract, output }` is all");
    return askWhole(asker, "observe_output", values<Observation>(), call);
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
    const asker = askerFor(this, "observeOutputText");
    refuseMore(arguments, 1, "`{ outputContract, output }` is all");
    return askWhole(asker, "observe_output", TEXT, call);
  }

  /**
   * Says what the guardrails of a run make of an event: what is to be done, in the order of the policies, and up to the
   * first that is `terminal`. Doing it, and counting, is the caller's. What cannot be decided asks a person.
   *
   * ```js
   * const event = { kind: "onNodeComplete", node: { nodeId: "review" }, output };
   * for (const { policyId, action, terminal } of engine.applyGuardrails({ policies, event, state }).actions) {
   *   console.log(`${policyId}: ${action.type}`);
   *   if (terminal) break;
   * }
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}; `invalid_policy` for a guardrail that would change the plan,
   * or could never fire.
   */
  applyGuardrails(call: ApplyGuardrailsCall): Actions {
    const asker = askerFor(this, "applyGuardrails");
    refuseMore(arguments, 1, "`{ policies, event, state }` is all");
    return askWhole(asker, "apply_guardrails", values<Actions>(), call);
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
    const asker = askerFor(this, "applyGuardrailsText");
    refuseMore(arguments, 1, "`{ policies, event, state }` is all");
    return askWhole(asker, "apply_guardrails", TEXT, call);
  }
}

/**
 * What an engine can be asked about planning: plans in their canonical form, runs of them, and when planning ends.
 */
import { TEXT, askWhole, values } from "./face.js";
import type {
  Deliberation,
  Ledger,
  NormalizePlanCall,
  NormalizedPlan,
  ReplayReport,
  VerifyReplayCall,
} from "./generated/types.js";
import { askerFor } from "./operations.js";
import { PlanOperations } from "./plans.js";
import type { JsonText } from "./text.js";
import { refuseMore } from "./usage.js";

/** The operations on planning, each for values and for JSON text. */
export abstract class PlanningOperations extends PlanOperations {
  /**
   * Makes the canonical form of a plan, PlanIR, whichever planner wrote it, with its hash and a report of all that was inferred
   * or kept aside. Nothing of the plan is lost: what has no place is in `x-source`.
   *
   * ```js
   * const { plan, plan_hash, adapter } = engine.normalizePlan({ plan: { subtasks } });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}, and for a plan whose steps need each other in a circle.
   */
  normalizePlan(call: NormalizePlanCall): NormalizedPlan {
    const asker = askerFor(this, "normalizePlan");
    refuseMore(arguments, 1, "`{ plan, format, hash_mode }` is all");
    return askWhole(asker, "normalize_plan", values<NormalizedPlan>(), call);
  }

  /**
   * The same as {@link Engine.normalizePlan}, from JSON text to JSON text.
   *
   * ```js
   * const { plan_hash } = JSON.parse(engine.normalizePlanText('{"plan": {"subtasks": []}}'));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.normalizePlan}; `limit_exceeded` for more than 8 MiB.
   */
  normalizePlanText(call: JsonText): string {
    const asker = askerFor(this, "normalizePlanText");
    refuseMore(arguments, 1, "`{ plan, format, hash_mode }` is all");
    return askWhole(asker, "normalize_plan", TEXT, call);
  }

  /**
   * Says whether the events of a run are of a run of that plan, and what speaks against it.
   *
   * ```js
   * const { linked, findings } = engine.verifyReplay({ plan, events, receipt: { plan_hash } });
   * for (const { code, message } of findings) console.log(`${code}: ${message}`);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}. Events that are none of the plan are an answer.
   */
  verifyReplay(call: VerifyReplayCall): ReplayReport {
    const asker = askerFor(this, "verifyReplay");
    refuseMore(arguments, 1, "`{ plan, events, receipt, tests }` is all");
    return askWhole(asker, "verify_replay", values<ReplayReport>(), call);
  }

  /**
   * The same as {@link Engine.verifyReplay}, from JSON text to JSON text.
   *
   * ```js
   * const { linked } = JSON.parse(engine.verifyReplayText(`{"plan": ${planText}, "events": []}`));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.verifyReplay}; `limit_exceeded` for more than 8 MiB.
   */
  verifyReplayText(call: JsonText): string {
    const asker = askerFor(this, "verifyReplayText");
    refuseMore(arguments, 1, "`{ plan, events, receipt, tests }` is all");
    return askWhole(asker, "verify_replay", TEXT, call);
  }

  /**
   * Says whether an agent may go on planning, and what it owes: continue, switch its strategy, ask a question, commit to its
   * recommendation, or stop.
   *
   * ```js
   * const { gate, reasons, duties, stop_report } = engine.deliberate(ledger);
   * if (gate === "stop") console.log(stop_report.stop_reason);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.validatePlan}.
   */
  deliberate(ledger: Ledger): Deliberation {
    const asker = askerFor(this, "deliberate");
    refuseMore(arguments, 1, "the ledger is all");
    return askWhole(asker, "deliberate", values<Deliberation>(), ledger);
  }

  /**
   * The same as {@link Engine.deliberate}, from JSON text to JSON text.
   *
   * ```js
   * const { gate } = JSON.parse(engine.deliberateText(await readFile("ledger.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.deliberate}; `limit_exceeded` for more than 8 MiB.
   */
  deliberateText(ledger: JsonText): string {
    const asker = askerFor(this, "deliberateText");
    refuseMore(arguments, 1, "the ledger is all");
    return askWhole(asker, "deliberate", TEXT, ledger);
  }
}

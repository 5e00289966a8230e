/** The operations that no other file declares. `cargo xtask generate` writes this file from the table of operations. */
import type * as types from "./generated/types.js";
import type { EvaluatePolicy } from "./policy.js";
import type { JsonText } from "./text.js";

/** Operations of engines and modules, each for values and for JSON text. */
export interface DerivedOperations {
  /**
   * Lists the values that the conditions of a policy see in an evaluator envelope.
   *
   * ```js
   * const answer = engine.facts(envelope, { policy });
   * ```
   *
   * @throws {AdjudicateError} if the input is not of the documented form, or has no JSON form.
   */
  facts(envelope: types.Calls["facts"], options?: { policy?: types.PolicyDocument | EvaluatePolicy | null }): types.Answers["facts"];

  /**
   * The same as the method `facts`, from JSON text to JSON text.
   *
   * ```js
   * const answer = engine.factsText(envelopeText, { policy: policyText });
   * ```
   *
   * @throws {AdjudicateError} as the method `facts`; `limit_exceeded` for more than 8 MiB.
   */
  factsText(envelope: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null }): string;
}

/** Operations of parsed policies, each for values and for JSON text. */
export interface DerivedPolicyOperations {
  /**
   * Lists the values that the conditions of a policy see in an evaluator envelope.
   *
   * ```js
   * const answer = policy.facts(envelope);
   * ```
   *
   * @throws {AdjudicateError} if the input is not of the documented form, or has no JSON form.
   */
  facts(envelope: types.EvaluateCall["envelope"]): types.Answers["facts"];

  /**
   * The same as the method `facts`, from JSON text to JSON text.
   *
   * ```js
   * const answer = policy.factsText(envelopeText);
   * ```
   *
   * @throws {AdjudicateError} as the method `facts`; `limit_exceeded` for more than 8 MiB.
   */
  factsText(envelope: JsonText): string;
}

/**
 * The operations on one envelope or one policy. The text forms convert nothing; use them if your evidence is already text.
 */
import type { DerivedOperations } from "./derived-operations.js";
import type {
  CheckAnswer,
  Envelope,
  EvaluateCall,
  Evaluation,
  ExplainCall,
  Explanation,
  PolicyDocument,
  Revision,
} from "./generated/types.js";
import type { EvaluatePolicy } from "./policy.js";
import type { JsonText } from "./text.js";

/** The operations on envelopes and policies, each for values and for JSON text. */
export interface Operations extends DerivedOperations {
  /**
   * Evaluates an envelope, with or without a policy.
   *
   * ```js
   * const { decision } = engine.evaluate(envelope, { policy });
   * if (decision.status === "success") await run(decision.next_step);
   * ```
   *
   * @param envelope An envelope, or a call `{ envelope, policy }`.
   * @param options `policy` is a policy document or a parsed policy; `undefined` and `null` mean no policy.
   * @throws {AdjudicateError} if the envelope or the policy is not of the documented form, or has no JSON form; `wrong_usage` for unknown
   * options, so that no policy is silently ignored.
   */
  evaluate(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | EvaluatePolicy | null }): Evaluation;

  /**
   * Evaluates an envelope from JSON text to JSON text. Every other interface of adjudicate returns the same bytes.
   *
   * ```js
   * const answer = engine.evaluateText(await request.text(), { policy: '{"policy": "house", "version": "1.0.0"}' });
   * ```
   *
   * @param envelope An envelope, or `{"envelope": ..., "policy": ...}`; bytes are UTF-8.
   * @param options `policy` is the text of a policy document; `undefined` and `null` mean no policy, but the text `null` is an error. For a
   * parsed policy, call {@link Policy.evaluateText}.
   * @throws {AdjudicateError} as {@link Engine.evaluate}; `limit_exceeded` for more than 8 MiB.
   */
  evaluateText(envelope: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null }): string;

  /**
   * Returns the parts of the revision loop that follow from an evaluation. These are the package for the refinement step or the reason for
   * none, events, a change of the run's status file, and the fields for the next envelope.
   *
   * ```js
   * const { package: todo, next } = engine.refine(envelope, { policy });
   * if (todo) await refineWith(todo.objective, todo.issues);
   * ```
   *
   * @param options `policy` as for {@link Engine.evaluate}. `evaluation` is the evaluation of this envelope, if you have it; any other one
   * is an error.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  refine(
    envelope: Envelope,
    options?: { policy?: PolicyDocument | EvaluatePolicy | null; evaluation?: Evaluation | null },
  ): Revision;

  /**
   * The same as {@link Engine.refine}, from JSON text to JSON text.
   *
   * ```js
   * const revision = engine.refineText(envelopeText, { evaluation: engine.evaluateText(envelopeText) });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluateText}.
   */
  refineText(envelope: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null; evaluation?: JsonText | null }): string;

  /**
   * Explains the decision on an envelope, and the changes that would lead to `success`.
   *
   * ```js
   * const { counterfactual } = engine.explain(envelope, { policy, trace: true });
   * ```
   *
   * @param envelope As for {@link Engine.evaluate}.
   * @param options `policy` as for {@link Engine.evaluate}. With `trace`, the answer also has the verdict and the inputs of every rule.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  explain(
    envelope: Envelope | ExplainCall,
    options?: { policy?: PolicyDocument | EvaluatePolicy | null; trace?: boolean },
  ): Explanation;

  /**
   * The same as {@link Engine.explain}, from JSON text to JSON text.
   *
   * ```js
   * process.stdout.write(engine.explainText(envelopeText, { trace: true }));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluateText}.
   */
  explainText(envelope: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null; trace?: boolean }): string;

  /**
   * Checks a policy without an envelope. It finds rules that never fire and rules that other rules always overrule, for example. A finding
   * has an example envelope if there is one.
   *
   * ```js
   * for (const { severity, path, message } of engine.checkPolicy(document).findings) {
   *   console.log(`${severity} at ${path}: ${message}`);
   * }
   * ```
   *
   * @throws {AdjudicateError} if the document is not a policy, or has no JSON form.
   */
  checkPolicy(document: PolicyDocument): CheckAnswer;

  /**
   * The same as {@link Engine.checkPolicy}, from JSON text to JSON text.
   *
   * ```js
   * const { findings } = JSON.parse(engine.checkPolicyText(await readFile("policy.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.checkPolicy}; `limit_exceeded` for more than 8 MiB.
   */
  checkPolicyText(document: JsonText): string;
}

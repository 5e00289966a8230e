/**
 * What an engine can be asked about one envelope, or one policy.
 *
 * Values become JSON text, text goes to the engine, the answer comes back as text. The text forms skip the first and
 * the last step and are what to use when the evidence is text already.
 */
import { TEXT, ask, values, type Asker } from "./face.js";
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
import { Instance } from "./instance.js";
import { optionsOf, type Form } from "./options.js";
import { slotOf } from "./slot.js";
import type { JsonText } from "./text.js";
import { detached, refuseMore, wrongUsage } from "./usage.js";

/** Who answers for each engine and each module. What is not in here is neither, whatever it inherits or stands for. */
const answering = new WeakMap<object, Answering>();

/**
 * Who answers the questions that are put to an object: at once, or later where a module has a deadline.
 *
 * @internal
 */
export type Answering = Asker<string> | Asker<Promise<string>>;

/**
 * Who answers what an engine or a module is asked by a method.
 *
 * @throws {AdjudicateError} `wrong_usage` for a method that was not called on either.
 * @internal
 */
export function askerFor(owner: unknown, method: string): Answering {
  const asker = typeof owner === "object" && owner !== null ? answering.get(owner) : undefined;
  if (asker === undefined) throw detached("engine", method);
  return asker;
}

/**
 * The instance that a method of an engine is for.
 *
 * @throws {AdjudicateError} `wrong_usage` for a method that was not called on an engine.
 * @internal
 */
export function instanceFor(engine: unknown, method: string): Instance {
  const asker = askerFor(engine, method);
  if (!(asker instanceof Instance)) throw detached("engine", method);
  return asker;
}

/** The operations on envelopes and policies, each for values and for JSON text. */
export abstract class Operations {
  /** @internal */
  constructor(asker: Answering) {
    answering.set(this, asker);
  }

  /**
   * Evaluates an envelope, under a policy if one is given.
   *
   * ```js
   * const { decision } = engine.evaluate(envelope, { policy });
   * if (decision.status === "success") await run(decision.next_step);
   * ```
   *
   * @param envelope An envelope, or `{ envelope, policy }` in one.
   * @param options `policy` is a policy document; `undefined` and `null` are no policy. A parsed policy has a method
   * of its own: {@link Policy.evaluate}.
   * @throws {AdjudicateError} when there is no answer: the envelope or the policy is not of the documented form, or
   * has no JSON form. `wrong_usage` when the options are not, so that no policy goes unnoticed.
   */
  evaluate(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | null }): Evaluation {
    const asker = askerFor(this, "evaluate");
    refuseMore(arguments, 2, "an envelope and options, `{ policy }`, are all");
    return ask(asker, "evaluate", values<Evaluation>(), { envelope, ...optionsOf(options, EVALUATE) });
  }

  /**
   * Evaluates an envelope given as JSON text, and answers JSON text: byte for byte what every other face of
   * adjudicate answers.
   *
   * ```js
   * const answer = engine.evaluateText(await request.text(), { policy: '{"policy": "house", "version": "1.0.0"}' });
   * ```
   *
   * @param envelope An envelope, or `{"envelope": ..., "policy": ...}`; bytes are UTF-8.
   * @param options `policy` is the text of a policy document; `undefined` and `null` are no policy, the text `null`
   * is an error. A parsed policy has a method of its own: {@link Policy.evaluateText}.
   * @throws {AdjudicateError} as {@link Engine.evaluate}; `limit_exceeded` for more than 8 MiB.
   */
  evaluateText(envelope: JsonText, options?: { policy?: JsonText | null }): string {
    const asker = askerFor(this, "evaluateText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy }`, are all");
    return ask(asker, "evaluate", TEXT, { envelope, ...optionsOf(options, EVALUATE_TEXT) });
  }

  /**
   * Draws from an evaluation what the revision loop needs: the package for the refinement step, or why there is none;
   * events; a change to the run's status file; what the next envelope is to carry.
   *
   * ```js
   * const { package: todo, next } = engine.refine(envelope, { policy });
   * if (todo) await refineWith(todo.objective, todo.issues);
   * ```
   *
   * @param options `policy` as for {@link Engine.evaluate}; `evaluation` is the envelope's own, where it is at hand:
   * one that says something else is refused.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  refine(
    envelope: Envelope,
    options?: { policy?: PolicyDocument | null; evaluation?: Evaluation | null },
  ): Revision {
    const asker = askerFor(this, "refine");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, evaluation }`, are all");
    return ask(asker, "refine", values<Revision>(), { envelope, ...optionsOf(options, REFINE) });
  }

  /**
   * The same as {@link Engine.refine}, from JSON text to JSON text.
   *
   * ```js
   * const revision = engine.refineText(envelopeText, { evaluation: engine.evaluateText(envelopeText) });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluateText}.
   */
  refineText(envelope: JsonText, options?: { policy?: JsonText | null; evaluation?: JsonText | null }): string {
    const asker = askerFor(this, "refineText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, evaluation }`, are all");
    return ask(asker, "refine", TEXT, { envelope, ...optionsOf(options, REFINE_TEXT) });
  }

  /**
   * Says why an envelope is decided as it is, and what would have to change for `success`.
   *
   * ```js
   * const { counterfactual } = engine.explain(envelope, { policy, trace: true });
   * ```
   *
   * @param envelope As for {@link Engine.evaluate}.
   * @param options `policy` as for {@link Engine.evaluate}; with `trace` every rule is shown,
   * its verdict and its inputs.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  explain(
    envelope: Envelope | ExplainCall,
    options?: { policy?: PolicyDocument | null; trace?: boolean },
  ): Explanation {
    const asker = askerFor(this, "explain");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, trace }`, are all");
    return ask(asker, "explain", values<Explanation>(), { envelope, ...optionsOf(options, EXPLAIN) });
  }

  /**
   * The same as {@link Engine.explain}, from JSON text to JSON text.
   *
   * ```js
   * process.stdout.write(engine.explainText(envelopeText, { trace: true }));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluateText}.
   */
  explainText(envelope: JsonText, options?: { policy?: JsonText | null; trace?: boolean }): string {
    const asker = askerFor(this, "explainText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, trace }`, are all");
    return ask(asker, "explain", TEXT, { envelope, ...optionsOf(options, EXPLAIN_TEXT) });
  }

  /**
   * Looks for what is wrong with a policy before any envelope comes: rules that can never fire, that are always
   * overruled, and more, each with an envelope that shows it where there is one.
   *
   * ```js
   * for (const { severity, path, message } of engine.checkPolicy(document).findings) {
   *   console.log(`${severity} at ${path}: ${message}`);
   * }
   * ```
   *
   * @throws {AdjudicateError} when the document is not a policy, or has no JSON form: that is no finding.
   */
  checkPolicy(document: PolicyDocument): CheckAnswer {
    const asker = askerFor(this, "checkPolicy");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.check()`");
    return ask(asker, "check_policy", values<CheckAnswer>(), { policy: document });
  }

  /**
   * The same as {@link Engine.checkPolicy}, from JSON text to JSON text.
   *
   * ```js
   * const { findings } = JSON.parse(engine.checkPolicyText(await readFile("policy.json")));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.checkPolicy}; `limit_exceeded` for more than 8 MiB.
   */
  checkPolicyText(document: JsonText): string {
    const asker = askerFor(this, "checkPolicyText");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.checkText()`");
    return ask(asker, "check_policy", TEXT, { policy: document });
  }
}

const EVALUATE: Form<"policy"> = { method: "evaluate", names: ["policy"], takesParsed: false };
const EVALUATE_TEXT: Form<"policy"> = { method: "evaluateText", names: ["policy"], takesParsed: false };
const REFINE: Form<"policy" | "evaluation"> = { method: "refine", names: ["policy", "evaluation"], takesParsed: false };
const REFINE_TEXT: Form<"policy" | "evaluation"> = { method: "refineText", names: ["policy", "evaluation"], takesParsed: false };
const EXPLAIN: Form<"policy" | "trace"> = { method: "explain", names: ["policy", "trace"], takesParsed: false };
const EXPLAIN_TEXT: Form<"policy" | "trace"> = { method: "explainText", names: ["policy", "trace"], takesParsed: false };

/**
 * What a user of the package holds: an engine.
 *
 * Values become JSON text, text goes to the engine, the answer comes back as text. The text forms skip the first and
 * the last step and are what to use when the evidence is text already.
 */
import { evaluateAll, evaluateLines, evaluating } from "./batch.js";
import { TEXT, ask, values } from "./face.js";
import type {
  Answers,
  BatchItem,
  Calls,
  CheckAnswer,
  Envelope,
  EvaluateCall,
  Evaluation,
  ExplainCall,
  Explanation,
  OperationName,
  PolicyDocument,
  Revision,
} from "./generated/types.js";
import { Instance } from "./instance.js";
import { optionsOf, type Form } from "./options.js";
import { Policy } from "./policy.js";
import { WITHIN_POLICY, slotOf, under } from "./slot.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { detached, refuseMore, wrongUsage } from "./usage.js";

/** An engine, ready for calls. All its methods are synchronous, and the same input always has the same answer. */
export class Engine {
  readonly #instance: Instance;
  /** The engine's version. */
  readonly version: string;
  /** What the engine can be asked, by name. */
  readonly operations: readonly OperationName[];

  /** @internal */
  constructor(module: WebAssembly.Module) {
    this.#instance = new Instance(module);
    this.version = this.#instance.run((bindings) => bindings.version());
    this.operations = this.#instance.operations;
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
    const instance = Engine.#instanceOf(this, "evaluate");
    refuseMore(arguments, 2, "an envelope and options, `{ policy }`, are all");
    return ask(instance, "evaluate", values<Evaluation>(), { envelope, ...optionsOf(options, EVALUATE) });
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
    const instance = Engine.#instanceOf(this, "evaluateText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy }`, are all");
    return ask(instance, "evaluate", TEXT, { envelope, ...optionsOf(options, EVALUATE_TEXT) });
  }

  /**
   * Evaluates many envelopes. Each has an answer or an error of its own, in order; one that is wrong loses no other.
   *
   * ```js
   * for (const { ok, error } of engine.evaluateBatch(envelopes, { policy })) {
   *   console.log(ok ? ok.decision.status : `${error.code} at ${error.path}`);
   * }
   * ```
   *
   * @param options As for {@link Engine.evaluate}; the policy is parsed once for all.
   * @throws {AdjudicateError} when the policy is not one; `wrong_usage` for what is no list.
   */
  evaluateBatch(
    envelopes: readonly (Envelope | EvaluateCall)[],
    options?: { policy?: PolicyDocument | null },
  ): BatchItem[] {
    const instance = Engine.#instanceOf(this, "evaluateBatch");
    refuseMore(arguments, 2, "a list of envelopes and options, `{ policy }`, are all");
    const { policy } = optionsOf(options, EVALUATE_BATCH);
    if (policy === undefined) return evaluateAll(envelopes, evaluating(instance, false));
    return under(instance, jsonOf(policy, WITHIN_POLICY), (slot) => evaluateAll(envelopes, evaluating(slot, true)));
  }

  /**
   * Evaluates lines of JSON text (NDJSON), one envelope each, and answers lines: an evaluation or
   * `{"error": {"code", "message", "path"}}` each, in order. Lines of white space alone are passed over.
   *
   * ```js
   * const answers = engine.evaluateBatchText(await readFile("envelopes.ndjson"));
   * ```
   *
   * @param lines May be longer than 8 MiB; each line may not.
   * @param options As for {@link Engine.evaluateText}; the policy is parsed once for all.
   * @throws {AdjudicateError} when the policy is not one; `wrong_usage` for what is no text.
   */
  evaluateBatchText(lines: JsonText, options?: { policy?: JsonText | null }): string {
    const instance = Engine.#instanceOf(this, "evaluateBatchText");
    refuseMore(arguments, 2, "lines of JSON text and options, `{ policy }`, are all");
    const { policy } = optionsOf(options, EVALUATE_BATCH_TEXT);
    if (policy === undefined) return evaluateLines(lines, evaluating(instance, false));
    return under(instance, utf8(policy, WITHIN_POLICY), (slot) => evaluateLines(lines, evaluating(slot, true)));
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
    const instance = Engine.#instanceOf(this, "refine");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, evaluation }`, are all");
    return ask(instance, "refine", values<Revision>(), { envelope, ...optionsOf(options, REFINE) });
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
    const instance = Engine.#instanceOf(this, "refineText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, evaluation }`, are all");
    return ask(instance, "refine", TEXT, { envelope, ...optionsOf(options, REFINE_TEXT) });
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
    const instance = Engine.#instanceOf(this, "explain");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, trace }`, are all");
    return ask(instance, "explain", values<Explanation>(), { envelope, ...optionsOf(options, EXPLAIN) });
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
    const instance = Engine.#instanceOf(this, "explainText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, trace }`, are all");
    return ask(instance, "explain", TEXT, { envelope, ...optionsOf(options, EXPLAIN_TEXT) });
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
    const instance = Engine.#instanceOf(this, "checkPolicy");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.check()`");
    return ask(instance, "check_policy", values<CheckAnswer>(), { policy: document });
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
    const instance = Engine.#instanceOf(this, "checkPolicyText");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.checkText()`");
    return ask(instance, "check_policy", TEXT, { policy: document });
  }

  /**
   * Answers a whole call of any operation, by its name: what a message that came from elsewhere says.
   *
   * ```js
   * const revision = engine.call("refine", { envelope, policy, evaluation });
   * ```
   *
   * @throws {AdjudicateError} `unsupported_operation` for a name that is none; else as the operation's own method.
   */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Answers[Name] {
    const instance = Engine.#instanceOf(this, "call");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    return JSON.parse(instance.call(operation, jsonOf(call))) as Answers[Name];
  }

  /**
   * The same as {@link Engine.call}, from JSON text to JSON text.
   *
   * ```js
   * const answer = engine.callText("evaluate", '{"envelope": ..., "policy": ...}');
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.call}; `limit_exceeded` for more than 8 MiB.
   */
  callText(operation: OperationName, call: JsonText): string {
    const instance = Engine.#instanceOf(this, "callText");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    return instance.call(operation, utf8(call));
  }

  /**
   * Parses a policy document once, for many calls.
   *
   * ```js
   * using policy = engine.policy({ policy: "house", version: "1.0.0", protected_paths: ["infra/**"] });
   * const { decision } = policy.evaluate(envelope);
   * ```
   *
   * @throws {AdjudicateError} when the document is not a policy, or has no JSON form.
   */
  policy(document: PolicyDocument): Policy {
    const instance = Engine.#instanceOf(this, "policy");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, jsonOf(document));
  }

  /**
   * Parses a policy document given as JSON text once, for many calls.
   *
   * ```js
   * const policy = engine.policyText(await readFile("policy.json"));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.policy}; `limit_exceeded` for more than 8 MiB.
   */
  policyText(document: JsonText): Policy {
    const instance = Engine.#instanceOf(this, "policyText");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, utf8(document));
  }

  static #instanceOf(engine: unknown, method: string): Instance {
    const isEngine = typeof engine === "object" && engine !== null && #instance in engine;
    if (!isEngine) throw detached("engine", method);
    return engine.#instance;
  }
}

const EVALUATE: Form<"policy"> = { method: "evaluate", names: ["policy"] };
const EVALUATE_TEXT: Form<"policy"> = { method: "evaluateText", names: ["policy"] };
const EVALUATE_BATCH: Form<"policy"> = { method: "evaluateBatch", names: ["policy"] };
const EVALUATE_BATCH_TEXT: Form<"policy"> = { method: "evaluateBatchText", names: ["policy"] };
const REFINE: Form<"policy" | "evaluation"> = { method: "refine", names: ["policy", "evaluation"] };
const REFINE_TEXT: Form<"policy" | "evaluation"> = { method: "refineText", names: ["policy", "evaluation"] };
const EXPLAIN: Form<"policy" | "trace"> = { method: "explain", names: ["policy", "trace"] };
const EXPLAIN_TEXT: Form<"policy" | "trace"> = { method: "explainText", names: ["policy", "trace"] };

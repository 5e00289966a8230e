/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What a user of the package holds: an engine.
 *
 * Owns what goes beyond one question: many envelopes, several policies, parsed policies, whole calls.
 */
import { evaluateAll, evaluateLines, evaluating } from "./batch.js";
import { composed, type Member, type MemberText } from "./compose.js";
import { TEXT, askWhole, values } from "./face.js";
import type {
  Answers,
  BatchItem,
  Calls,
  ComposedEvaluation,
  Envelope,
  EvaluateCall,
  OperationName,
  PolicyDocument,
} from "./generated/types.js";
import { Instance } from "./instance.js";
import { instanceFor } from "./operations.js";
import { optionsOf, type Form } from "./options.js";
import { PlanningOperations } from "./planning.js";
import { Policy } from "./policy.js";
import { WITHIN_POLICY, slotOf, under } from "./slot.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { refuseMore, wrongUsage } from "./usage.js";

/** An engine, ready for calls. All its methods are synchronous, and the same input always has the same answer. */
export class Engine extends PlanningOperations {
  /** The engine's version. */
  readonly version: string;
  /** What the engine can be asked, by name. */
  readonly operations: readonly OperationName[];

  /** @internal */
  constructor(module: WebAssembly.Module) {
    const instance = new Instance(module);
    super(instance);
    this.version = instance.run((bindings) => bindings.version());
    this.operations = instance.operations;
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
    const instance = instanceFor(this, "evaluateBatch");
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
    const instance = instanceFor(this, "evaluateBatchText");
    refuseMore(arguments, 2, "lines of JSON text and options, `{ policy }`, are all");
    const { policy } = optionsOf(options, EVALUATE_BATCH_TEXT);
    if (policy === undefined) return evaluateLines(lines, evaluating(instance, false));
    return under(instance, utf8(policy, WITHIN_POLICY), (slot) => evaluateLines(lines, evaluating(slot, true)));
  }

  /**
   * Evaluates an envelope under several policies, and composes one decision. Who restricts can tighten it and never
   * loosen it: the most severe status wins, flags and blockers are united. Who overrides stands in for the base; what
   * the base found is then only reported. Restrictions hold all the same.
   *
   * ```js
   * const { decision, findings } = engine.compose(envelope, { policy: ours, restrict: [theirs] });
   * for (const { rule, origin } of findings) console.log(`${rule}, says ${origin}`);
   * ```
   *
   * @param envelope An envelope.
   * @param options `policy` is the base's: its routes, profile and parameters are in force. `override` and each of
   * `restrict` is a policy document, a parsed policy, or `{ origin, answer }`, what somebody else answered for the same
   * envelope. `policy` may be a parsed one too.
   * @throws {AdjudicateError} as {@link Engine.evaluate}, whoever has no answer; `module_invalid_decision` for an answer
   * that is none.
   */
  compose(
    envelope: Envelope,
    options?: { policy?: PolicyDocument | Policy | null; override?: Member | null; restrict?: readonly Member[] | null },
  ): ComposedEvaluation {
    const instance = instanceFor(this, "compose");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, override, restrict }`, are all");
    return composed(instance, values<ComposedEvaluation>(), envelope, optionsOf(options, COMPOSE));
  }

  /**
   * The same as {@link Engine.compose}, from JSON text to JSON text: byte for byte what the command line answers with
   * `--restrict` and `--override`.
   *
   * ```js
   * const answer = engine.composeText(envelopeText, { restrict: [await readFile("theirs.json"), parsed] });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.compose}; `limit_exceeded` for more than 8 MiB.
   */
  composeText(
    envelope: JsonText,
    options?: { policy?: JsonText | Policy | null; override?: MemberText | null; restrict?: readonly MemberText[] | null },
  ): string {
    const instance = instanceFor(this, "composeText");
    refuseMore(arguments, 2, "an envelope and options, `{ policy, override, restrict }`, are all");
    return composed(instance, TEXT, envelope, optionsOf(options, COMPOSE_TEXT));
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
    const instance = instanceFor(this, "call");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    return askWhole(instance, operation, values<Answers[Name]>(), call);
  }

  /**
   * The same as {@link Engine.call}, from JSON text to JSON text.
   *
   * ```js
   * const answer = engine.callText("evaluate", `{"envelope": ${envelopeText}, "policy": ${policyText}}`);
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.call}; `limit_exceeded` for more than 8 MiB.
   */
  callText(operation: OperationName, call: JsonText): string {
    const instance = instanceFor(this, "callText");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    return askWhole(instance, operation, TEXT, call);
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
    const instance = instanceFor(this, "policy");
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
    const instance = instanceFor(this, "policyText");
    refuseMore(arguments, 1, "a policy document is all");
    if (slotOf(document) !== undefined) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, utf8(document));
  }

  /**
   * Lets go of the engine's memory, and of the policies in it; it answers no more. An engine that nobody refers to goes as well,
   * some time; this is for who makes many.
   *
   * ```js
   * const engine = await createEngine();
   * console.log(engine.evaluate(envelope).decision.status);
   * engine.dispose();
   * ```
   */
  dispose(): void {
    instanceFor(this, "dispose").end();
  }

  /**
   * As {@link Engine.dispose}, at the end of a block.
   *
   * ```js
   * using once = await createEngine();
   * console.log(once.evaluate(envelope).decision.status);
   * ```
   */
  [Symbol.dispose](): void {
    Engine.prototype.dispose.call(this);
  }
}

const EVALUATE_BATCH: Form<"policy"> = { method: "evaluateBatch", names: ["policy"], takesParsed: false };
const EVALUATE_BATCH_TEXT: Form<"policy"> = { method: "evaluateBatchText", names: ["policy"], takesParsed: false };
const COMPOSE: Form<"policy" | "override" | "restrict"> = {
  method: "compose",
  names: ["policy", "override", "restrict"],
  takesParsed: true,
};
const COMPOSE_TEXT: Form<"policy" | "override" | "restrict"> = { ...COMPOSE, method: "composeText" };

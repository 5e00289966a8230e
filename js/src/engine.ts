/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The class `Engine`.
 *
 * This file has batches, composition, parsed policies and calls by name. `methods.ts` has the other methods.
 */
import { evaluateAll, evaluateLines, evaluating } from "./batch.js";
import { composed, type CompositionMember, type CompositionMemberText } from "./compose.js";
import { TEXT, sendCall, values } from "./codec.js";
import type {
  Answers,
  Calls,
  ComposedEvaluation,
  Envelope,
  ErrorReply,
  EvaluateCall,
  Evaluation,
  OperationName,
  PolicyDocument,
} from "./generated/types.js";
import { INSTANCE, Instance } from "./instance.js";
import { OperationMethods, instanceFor } from "./methods.js";
import { opened, type OpenEnvelope } from "./open-envelope.js";
import { optionsOf, type Form } from "./options.js";
import { Policy, type EvaluatePolicy } from "./policy.js";
import { policies, withPolicies } from "./policy-handle.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { checkArguments, wrongUsage } from "./usage.js";

/** The result for one envelope of a batch: an evaluation, or the error of the envelope. */
export type BatchItem = { ok: Evaluation; error?: never } | (ErrorReply & { ok?: never });

/** An engine. All its methods are synchronous, and the same input always has the same answer. */
export class Engine extends OperationMethods {
  /** The engine's version. */
  readonly version: string;
  /** The names of the engine's operations. */
  readonly operations: readonly OperationName[];

  /** @internal */
  constructor(module: WebAssembly.Module) {
    const instance = new Instance(module);
    super(instance);
    Object.defineProperty(this, INSTANCE, { value: instance });
    this.version = instance.run((bindings) => bindings.version());
    this.operations = instance.operations;
  }

  /**
   * Evaluates many envelopes. Each one has its own answer or its own error, in order.
   *
   * ```js
   * for (const { ok, error } of engine.evaluateBatch(envelopes, { policy })) {
   *   console.log(ok ? ok.decision.status : `${error.code} at ${error.path}`);
   * }
   * ```
   *
   * @param options As for {@link Engine.evaluate}. The policy is parsed once.
   * @throws {AdjudicateError} if the policy is invalid; `wrong_usage` if the argument is not a list.
   */
  evaluateBatch(
    envelopes: readonly (Envelope | EvaluateCall)[],
    options?: { policy?: PolicyDocument | EvaluatePolicy | null },
  ): BatchItem[] {
    const instance = instanceFor(this, "evaluateBatch");
    checkArguments(arguments, 2, "a list of envelopes and options `{ policy }`");
    const { policy } = optionsOf(options, POLICY, "evaluateBatch");
    return withPolicies(instance, jsonOf, (take) => evaluateAll(envelopes, evaluating(policy === undefined ? instance : take(policy))));
  }

  /**
   * Evaluates lines of JSON text (NDJSON), one envelope per line. Returns one line for each, in order: an evaluation, or
   * `{"error": {"code", "message", "path"}}`. It skips lines of white space.
   *
   * ```js
   * const answers = engine.evaluateBatchText(await readFile("envelopes.ndjson"));
   * ```
   *
   * @param lines The text may be longer than 8 MiB, but no line may be.
   * @param options As for {@link Engine.evaluateText}. The policy is parsed once.
   * @throws {AdjudicateError} if the policy is invalid; `wrong_usage` if the argument is not text.
   */
  evaluateBatchText(lines: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null }): string {
    const instance = instanceFor(this, "evaluateBatchText");
    checkArguments(arguments, 2, "lines of JSON text and options `{ policy }`");
    const { policy } = optionsOf(options, POLICY, "evaluateBatchText");
    return withPolicies(instance, utf8, (take) => evaluateLines(lines, evaluating(policy === undefined ? instance : take(policy))));
  }

  /**
   * Evaluates an envelope under several policies, and composes one decision. A restriction can make the decision stricter, never more
   * lenient: the most severe status wins, and the decision has all flags and blockers. An override replaces the base, whose findings are then
   * only monitored. Restrictions also apply to an override.
   *
   * ```js
   * const { decision, findings } = engine.compose(envelope, { policy: ours, restrict: [theirs] });
   * for (const { rule, origin } of findings) console.log(`${origin}: ${rule}`);
   * ```
   *
   * @param envelope An envelope.
   * @param options `policy` is the base, as a document or parsed: its routes, profile and parameters apply. `override` and each item of
   * `restrict` is a policy document, a parsed policy, or `{ origin, answer }`, an answer of another evaluator for the same envelope.
   * @throws {AdjudicateError} as {@link Engine.evaluate}, for each of the policies; `module_invalid_decision` if an `answer` is not of the
   * documented form.
   */
  compose(
    envelope: Envelope,
    options?: { policy?: PolicyDocument | EvaluatePolicy | null; override?: CompositionMember | null; restrict?: readonly CompositionMember[] | null },
  ): ComposedEvaluation {
    const instance = instanceFor(this, "compose");
    checkArguments(arguments, 2, "an envelope and options `{ policy, override, restrict }`");
    return composed(instance, values<ComposedEvaluation>(), envelope, optionsOf(options, COMPOSITION, "compose"));
  }

  /**
   * The same as {@link Engine.compose}, from JSON text to JSON text. The command returns the same bytes with `--restrict` and `--override`.
   *
   * ```js
   * const answer = engine.composeText(envelopeText, { restrict: [await readFile("theirs.json"), parsed] });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.compose}; `limit_exceeded` for more than 8 MiB.
   */
  composeText(
    envelope: JsonText,
    options?: { policy?: JsonText | EvaluatePolicy | null; override?: CompositionMemberText | null; restrict?: readonly CompositionMemberText[] | null },
  ): string {
    const instance = instanceFor(this, "composeText");
    checkArguments(arguments, 2, "an envelope and options `{ policy, override, restrict }`");
    return composed(instance, TEXT, envelope, optionsOf(options, COMPOSITION, "composeText"));
  }

  /**
   * Answers a call of any operation, by its name. The call is one document, for example a message from another program.
   *
   * ```js
   * const revision = engine.call("refine", { envelope, policy, evaluation });
   * ```
   *
   * @throws {AdjudicateError} `unsupported_operation` for an unknown name; otherwise as the operation's own method.
   */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Answers[Name] {
    const instance = instanceFor(this, "call");
    checkArguments(arguments, 2, "the name of an operation and a call");
    return sendCall(instance, operation, values<Answers[Name]>(), call);
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
    checkArguments(arguments, 2, "the name of an operation and a call");
    return sendCall(instance, operation, TEXT, call);
  }

  /**
   * Opens an envelope that stays in the engine's memory and takes changes, for example for a preview that evaluates at each keystroke. An
   * evaluation after a change takes about two thirds of the time of {@link Engine.evaluateText}.
   *
   * ```js
   * using open = engine.open(envelope, { policy });
   * const { decision } = open.set("/evidence/validation/exit_codes/lint", 1).evaluate();
   * ```
   *
   * @param envelope As for {@link Engine.evaluate}. The fields are checked by `evaluate` of the open envelope.
   * @param options `policy` as for {@link Engine.evaluate}. The policy is parsed once, and stays parsed until the envelope is freed.
   * @throws {AdjudicateError} if the envelope has no JSON form, or the policy is invalid.
   */
  open(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | EvaluatePolicy | null }): OpenEnvelope {
    const instance = instanceFor(this, "open");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return opened(instance, jsonOf, envelope, optionsOf(options, POLICY, "open").policy);
  }

  /**
   * The same as {@link Engine.open}, from JSON text.
   *
   * ```js
   * using open = engine.openText(await readFile("envelope.json"), { policy: await readFile("policy.json") });
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.open}; `malformed_json`, `duplicate_key` and `limit_exceeded` for the text.
   */
  openText(envelope: JsonText, options?: { policy?: JsonText | EvaluatePolicy | null }): OpenEnvelope {
    const instance = instanceFor(this, "openText");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return opened(instance, utf8, envelope, optionsOf(options, POLICY, "openText").policy);
  }

  /**
   * Parses a policy document once, for many calls.
   *
   * ```js
   * using policy = engine.policy({ policy: "house", version: "1.0.0", protected_paths: ["infra/**"] });
   * const { decision } = policy.evaluate(envelope);
   * ```
   *
   * @throws {AdjudicateError} if the document is not a policy, or has no JSON form.
   */
  policy(document: PolicyDocument): Policy {
    const instance = instanceFor(this, "policy");
    checkArguments(arguments, 1, "a policy document");
    if (policies.of(document) !== undefined) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, jsonOf(document));
  }

  /**
   * Parses the JSON text of a policy document once, for many calls.
   *
   * ```js
   * const policy = engine.policyText(await readFile("policy.json"));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.policy}; `limit_exceeded` for more than 8 MiB.
   */
  policyText(document: JsonText): Policy {
    const instance = instanceFor(this, "policyText");
    checkArguments(arguments, 1, "a policy document");
    if (policies.of(document) !== undefined) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, utf8(document));
  }

  /**
   * Frees the memory of the engine and of its policies. Later calls throw `wrong_usage`. The garbage collector frees unused engines, too, but
   * later; call this method if you create many.
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
   * Frees the engine at the end of a block, as {@link Engine.dispose} does.
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

const POLICY: Form<"policy"> = { names: ["policy"], parsed: ["policy"] };
const MEMBERS = ["policy", "override", "restrict"] as const;
const COMPOSITION: Form<(typeof MEMBERS)[number]> = { names: MEMBERS, parsed: MEMBERS };

/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The class `Policy`: a policy that is parsed once, for many calls.
 *
 * `policy-handle.ts` owns its memory.
 */
import { evaluateAll, evaluateLines, evaluating } from "./batch.js";
import { composed, type CompositionMember, type CompositionMemberText } from "./compose.js";
import type { DerivedPolicyOperations } from "./derived-operations.js";
import type { BatchItem } from "./engine.js";
import { TEXT, values } from "./codec.js";
import type {
  CheckAnswer,
  ComposedEvaluation,
  Envelope,
  Evaluation,
  Explanation,
  Revision,
  RuleInfo,
} from "./generated/types.js";
import type { Instance } from "./instance.js";
import { ALONE, defineMethods, methodsOf } from "./methods.js";
import { opened, type OpenEnvelope } from "./open-envelope.js";
import { optionsOf, type Form } from "./options.js";
import { PolicyHandle, policies } from "./policy-handle.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { checkArguments } from "./usage.js";

/** The operations of a parsed policy, each for values and for JSON text. */
export interface PolicyOperations extends DerivedPolicyOperations {
  /**
   * Evaluates an envelope under this policy.
   *
   * ```js
   * const { decision, findings } = policy.evaluate(envelope);
   * ```
   *
   * @throws {AdjudicateError} if the envelope is not of the documented form; `wrong_usage` if the policy has been freed, or for a further
   * argument.
   */
  evaluate(envelope: Envelope): Evaluation;

  /**
   * Evaluates an envelope under this policy, from JSON text to JSON text.
   *
   * ```js
   * response.end(policy.evaluateText(body));
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  evaluateText(envelope: JsonText): string;

  /**
   * Returns the parts of the revision loop that follow from an evaluation under this policy, as {@link Engine.refine} does.
   *
   * ```js
   * const { package: todo, reason } = policy.refine(envelope);
   * ```
   *
   * @param options `evaluation` is the evaluation of this envelope under this policy, if you have it.
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  refine(envelope: Envelope, options?: { evaluation?: Evaluation | null }): Revision;

  /**
   * The same as {@link Policy.refine}, from JSON text to JSON text.
   *
   * ```js
   * const revision = policy.refineText(body);
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  refineText(envelope: JsonText, options?: { evaluation?: JsonText | null }): string;

  /**
   * Explains the decision on an envelope under this policy, as {@link Engine.explain} does.
   *
   * ```js
   * const { counterfactual } = policy.explain(envelope, { trace: true });
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  explain(envelope: Envelope, options?: { trace?: boolean }): Explanation;

  /**
   * The same as {@link Policy.explain}, from JSON text to JSON text.
   *
   * ```js
   * const explanation = policy.explainText(body);
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  explainText(envelope: JsonText, options?: { trace?: boolean }): string;

  /**
   * Checks this policy, as {@link Engine.checkPolicy} does.
   *
   * ```js
   * const errors = policy.check().findings.filter(({ severity }) => severity === "error");
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` if the policy has been freed, or for any argument.
   */
  check(): CheckAnswer;

  /**
   * The same as {@link Policy.check}, as JSON text.
   *
   * ```js
   * console.log(policy.checkText());
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.check}.
   */
  checkText(): string;
}

/** The base of parsed policies, which has the methods of operations. */
const PolicyMethods = class {} as unknown as new () => PolicyOperations;

/** A parsed policy. Declare it with `using`, or free it when you no longer need it. */
export class Policy extends PolicyMethods {
  /** The policy's name. */
  readonly name: string;
  /** The policy's version. */
  readonly version: string;
  /** The digest of the document's canonical JSON, `sha256:<hex>`. White space and the order of fields do not change it. */
  readonly digest: string;
  /** The policy's own rules, in the order of the document. */
  readonly rules: readonly RuleInfo[];

  /**
   * @param document UTF-8 that no other code changes.
   * @internal
   */
  constructor(instance: Instance, document: Uint8Array) {
    super();
    const handle = new PolicyHandle(instance, document);
    const { name, version, digest, rules } = handle.info();
    this.name = name;
    this.version = version;
    this.digest = digest;
    this.rules = rules;
    policies.attach(this, handle);
  }

  /**
   * Evaluates many envelopes under this policy, as {@link Engine.evaluateBatch} does.
   *
   * ```js
   * const failures = policy.evaluateBatch(envelopes).filter(({ error }) => error);
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` if the argument is not a list, or the policy has been freed.
   */
  evaluateBatch(envelopes: readonly Envelope[]): BatchItem[] {
    const handle = policies.for(this, "evaluateBatch");
    checkArguments(arguments, 1, ALONE);
    handle.requireDocument();
    return evaluateAll(envelopes, evaluating(handle));
  }

  /**
   * Evaluates lines of JSON text under this policy, as {@link Engine.evaluateBatchText} does.
   *
   * ```js
   * await writeFile("answers.ndjson", policy.evaluateBatchText(await readFile("envelopes.ndjson")));
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` if the argument is not text, or the policy has been freed.
   */
  evaluateBatchText(lines: JsonText): string {
    const handle = policies.for(this, "evaluateBatchText");
    checkArguments(arguments, 1, ALONE);
    handle.requireDocument();
    return evaluateLines(lines, evaluating(handle));
  }

  /**
   * Opens an envelope that takes changes, and evaluates it under this policy, as {@link Engine.open} does.
   *
   * ```js
   * using open = policy.open(envelope);
   * const { decision } = open.set("/evidence/transcript_summary", "all tests pass").evaluate();
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.open}; `wrong_usage` if the policy has been freed.
   */
  open(envelope: Envelope): OpenEnvelope {
    const handle = policies.for(this, "open");
    checkArguments(arguments, 1, ALONE);
    handle.requireDocument();
    return opened(handle.instance, jsonOf, envelope, this);
  }

  /**
   * The same as {@link Policy.open}, from JSON text.
   *
   * ```js
   * using open = policy.openText(await readFile("envelope.json"));
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.open}; `malformed_json`, `duplicate_key` and `limit_exceeded` for the text.
   */
  openText(envelope: JsonText): OpenEnvelope {
    const handle = policies.for(this, "openText");
    checkArguments(arguments, 1, ALONE);
    handle.requireDocument();
    return opened(handle.instance, utf8, envelope, this);
  }

  /**
   * Evaluates an envelope under this policy and others, and composes one decision, as {@link Engine.compose} does.
   *
   * ```js
   * const { decision } = policy.compose(envelope, { restrict: [theirs] });
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  compose(
    envelope: Envelope,
    options?: { override?: CompositionMember | null; restrict?: readonly CompositionMember[] | null },
  ): ComposedEvaluation {
    const handle = policies.for(this, "compose");
    checkArguments(arguments, 2, "an envelope and options `{ override, restrict }`");
    const members = { ...optionsOf(options, COMPOSITION, "compose"), policy: this };
    return composed(handle.instance, values<ComposedEvaluation>(), envelope, members);
  }

  /**
   * The same as {@link Policy.compose}, from JSON text to JSON text.
   *
   * ```js
   * const answer = policy.composeText(body, { restrict: [parsed] });
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  composeText(
    envelope: JsonText,
    options?: { override?: CompositionMemberText | null; restrict?: readonly CompositionMemberText[] | null },
  ): string {
    const handle = policies.for(this, "composeText");
    checkArguments(arguments, 2, "an envelope and options `{ override, restrict }`");
    return composed(handle.instance, TEXT, envelope, { ...optionsOf(options, COMPOSITION, "composeText"), policy: this });
  }

  /**
   * Frees the policy's memory. A second call does nothing; later calls of other methods throw `wrong_usage`.
   *
   * ```js
   * console.log(policy.evaluate(envelope).decision.status);
   * policy.free();
   * ```
   */
  free(): void {
    policies.free(this);
  }

  /**
   * Frees the policy at the end of a block, as {@link Policy.free} does.
   *
   * ```js
   * using parsed = policy;
   * console.log(parsed.evaluate(envelope).decision.status);
   * ```
   */
  [Symbol.dispose](): void {
    Policy.prototype.free.call(this);
  }
}

/** A parsed policy of any engine: the part of {@link Policy} that `adjudicate/evaluate` has, too. */
export type EvaluatePolicy = Omit<Policy, "check" | "checkText" | keyof DerivedPolicyOperations>;

const MEMBERS = ["override", "restrict"] as const;
const COMPOSITION: Form<(typeof MEMBERS)[number]> = { names: MEMBERS, parsed: MEMBERS };

defineMethods(Policy.prototype, methodsOf(true), (policy, method) => policies.for(policy, method));

/**
 * What a user of the package holds: an engine, and policies that were parsed once.
 *
 * Values become JSON text, text goes to the engine, the answer comes back as text. The text forms skip the first and
 * the last step and are what to use when the evidence is text already.
 */
import type { EvaluateCall, Envelope, Evaluation, OperationName, PolicyDocument } from "./generated/types.js";
import { Instance } from "./instance.js";
import { Policy } from "./policy.js";
import { stringify } from "./strict.js";
import { utf8, type JsonText } from "./text.js";

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
    this.operations = this.#instance.run((bindings) => bindings.operations() as OperationName[]);
  }

  /**
   * Evaluates an envelope, under a policy if one is given.
   *
   * ```js
   * const { decision } = engine.evaluate(envelope, { policy });
   * if (decision.status === "success") await run(decision.next_step);
   * ```
   *
   * @throws {AdjudicateError} when there is no answer: the envelope or the policy is not of the documented form.
   */
  evaluate(envelope: Envelope | EvaluateCall, options: { policy?: PolicyDocument | null } = {}): Evaluation {
    const { policy } = options;
    const answer = this.evaluateText(stringify(envelope), policy == null ? {} : { policy: stringify(policy) });
    return JSON.parse(answer) as Evaluation;
  }

  /**
   * Evaluates an envelope given as JSON text, and answers JSON text: byte for byte what every other face of
   * adjudicate answers.
   *
   * @param envelope An envelope, or `{"envelope": ..., "policy": ...}`; bytes are UTF-8.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  evaluateText(envelope: JsonText, options: { policy?: JsonText | null } = {}): string {
    const input = utf8(envelope, "the envelope");
    if (options.policy == null) return this.#instance.run((bindings) => bindings.evaluate(input));
    const policy = utf8(options.policy, "the policy");
    return this.#instance.run((bindings) => bindings.evaluateWithPolicy(input, policy));
  }

  /**
   * Parses a policy document once, for many calls.
   *
   * @throws {AdjudicateError} when the document is not a policy.
   */
  policy(document: PolicyDocument): Policy {
    return this.policyText(stringify(document));
  }

  /** Parses a policy document given as JSON text once, for many calls. */
  policyText(document: JsonText): Policy {
    return new Policy(this.#instance, utf8(document, "the policy").slice());
  }
}

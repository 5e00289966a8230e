/**
 * What a user of the package holds: an engine, and policies that were parsed once.
 *
 * Values become JSON text, text goes to the engine, the answer comes back as text. The text forms skip the first and
 * the last step and are what to use when the evidence is text already.
 */
import type { EvaluateCall, Envelope, Evaluation, OperationName, PolicyDocument } from "./generated/types.js";
import { Instance } from "./instance.js";
import { policyOf } from "./options.js";
import { Policy } from "./policy.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { detached, refuseMore, wrongUsage } from "./usage.js";

/** How the methods that decide are called. */
const FORM = "an envelope and options, `{ policy }`, are all";

/** What begins the message of an error in a policy that came beside an envelope, as the engine has it. */
const WITHIN_POLICY = "policy: ";

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
   * @param envelope An envelope, or `{ envelope, policy }` in one.
   * @param options `policy` is a policy document; `undefined` and `null` are no policy. A parsed policy has a method
   * of its own: {@link Policy.evaluate}.
   * @throws {AdjudicateError} when there is no answer: the envelope or the policy is not of the documented form, or
   * has no JSON form. `wrong_usage` when the options are not, so that no policy goes unnoticed.
   */
  evaluate(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | null }): Evaluation {
    const instance = Engine.#instanceOf(this, "evaluate");
    refuseMore(arguments, 2, FORM);
    const policy = policyOf(options, "evaluate");
    const input = jsonOf(envelope);
    const answer = decide(instance, input, policy === undefined ? policy : jsonOf(policy, WITHIN_POLICY));
    return JSON.parse(answer) as Evaluation;
  }

  /**
   * Evaluates an envelope given as JSON text, and answers JSON text: byte for byte what every other face of
   * adjudicate answers.
   *
   * @param envelope An envelope, or `{"envelope": ..., "policy": ...}`; bytes are UTF-8.
   * @param options `policy` is the text of a policy document; `undefined` and `null` are no policy, the text `null`
   * is an error. A parsed policy has a method of its own: {@link Policy.evaluateText}.
   * @throws {AdjudicateError} as {@link Engine.evaluate}; `limit_exceeded` for more than 8 MiB.
   */
  evaluateText(envelope: JsonText, options?: { policy?: JsonText | null }): string {
    const instance = Engine.#instanceOf(this, "evaluateText");
    refuseMore(arguments, 2, FORM);
    const policy = policyOf(options, "evaluateText");
    const input = utf8(envelope);
    return decide(instance, input, policy === undefined ? policy : utf8(policy, WITHIN_POLICY));
  }

  /**
   * Parses a policy document once, for many calls.
   *
   * @throws {AdjudicateError} when the document is not a policy, or has no JSON form.
   */
  policy(document: PolicyDocument): Policy {
    const instance = Engine.#instanceOf(this, "policy");
    refuseMore(arguments, 1, "a policy document is all");
    if (Policy.isPolicy(document)) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, jsonOf(document));
  }

  /**
   * Parses a policy document given as JSON text once, for many calls.
   *
   * @throws {AdjudicateError} as {@link Engine.policy}; `limit_exceeded` for more than 8 MiB.
   */
  policyText(document: JsonText): Policy {
    const instance = Engine.#instanceOf(this, "policyText");
    refuseMore(arguments, 1, "a policy document is all");
    if (Policy.isPolicy(document)) throw wrongUsage("the policy is parsed already");
    return new Policy(instance, utf8(document));
  }

  static #instanceOf(engine: unknown, method: string): Instance {
    const isEngine = typeof engine === "object" && engine !== null && #instance in engine;
    if (!isEngine) throw detached("engine", method);
    return engine.#instance;
  }
}

function decide(instance: Instance, envelope: Uint8Array, policy: Uint8Array | undefined): string {
  if (policy === undefined) return instance.run((bindings) => bindings.evaluate(envelope));
  return instance.run((bindings) => bindings.evaluateWithPolicy(envelope, policy));
}

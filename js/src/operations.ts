/**
 * The operations on one envelope or one policy.
 *
 * Each method converts values to JSON text, and the answer's text to a value. The text forms skip both steps; use them if your evidence is
 * already text.
 */
import { TEXT, sendDocuments, values, type Transport } from "./codec.js";
import type {
  CheckAnswer,
  Envelope,
  EvaluateCall,
  Evaluation,
  ExplainCall,
  Explanation,
  KnownFacts,
  PolicyDocument,
  Revision,
} from "./generated/types.js";
import { Instance } from "./instance.js";
import { optionsOf, type Form } from "./options.js";
import type { Policy } from "./policy.js";
import { handleOf } from "./policy-handle.js";
import type { JsonText } from "./text.js";
import { detached, checkArguments, wrongUsage } from "./usage.js";

/** The transport of each engine and each module. Objects that only inherit from them have none. */
const transports = new WeakMap<object, AnyTransport>();

/**
 * A transport of an engine or a module. A module with a deadline answers with promises.
 *
 * @internal
 */
export type AnyTransport = Transport<string> | Transport<Promise<string>>;

/**
 * Returns the transport of an engine or a module.
 *
 * @throws {AdjudicateError} `wrong_usage` if the method was not called on an engine or a module.
 * @internal
 */
export function transportFor(owner: unknown, method: string): AnyTransport {
  const transport = typeof owner === "object" && owner !== null ? transports.get(owner) : undefined;
  if (transport === undefined) throw detached("engine", method);
  return transport;
}

/**
 * Returns the instance of an engine.
 *
 * @throws {AdjudicateError} `wrong_usage` if the method was not called on an engine.
 * @internal
 */
export function instanceFor(engine: unknown, method: string): Instance {
  const transport = transportFor(engine, method);
  if (!(transport instanceof Instance)) throw detached("engine", method);
  return transport;
}

/** The operations on envelopes and policies, each for values and for JSON text. */
export abstract class Operations {
  /** @internal */
  constructor(transport: AnyTransport) {
    transports.set(this, transport);
  }

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
  evaluate(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | Policy | null }): Evaluation {
    const transport = transportFor(this, "evaluate");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return sendDocuments(transport, "evaluate", values<Evaluation>(), { envelope, ...optionsOf(options, EVALUATE) });
  }

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
  evaluateText(envelope: JsonText, options?: { policy?: JsonText | Policy | null }): string {
    const transport = transportFor(this, "evaluateText");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return sendDocuments(transport, "evaluate", TEXT, { envelope, ...optionsOf(options, EVALUATE_TEXT) });
  }

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
    options?: { policy?: PolicyDocument | Policy | null; evaluation?: Evaluation | null },
  ): Revision {
    const transport = transportFor(this, "refine");
    checkArguments(arguments, 2, "an envelope and options `{ policy, evaluation }`");
    return sendDocuments(transport, "refine", values<Revision>(), { envelope, ...optionsOf(options, REFINE) });
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
  refineText(envelope: JsonText, options?: { policy?: JsonText | Policy | null; evaluation?: JsonText | null }): string {
    const transport = transportFor(this, "refineText");
    checkArguments(arguments, 2, "an envelope and options `{ policy, evaluation }`");
    return sendDocuments(transport, "refine", TEXT, { envelope, ...optionsOf(options, REFINE_TEXT) });
  }

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
    options?: { policy?: PolicyDocument | Policy | null; trace?: boolean },
  ): Explanation {
    const transport = transportFor(this, "explain");
    checkArguments(arguments, 2, "an envelope and options `{ policy, trace }`");
    return sendDocuments(transport, "explain", values<Explanation>(), { envelope, ...optionsOf(options, EXPLAIN) });
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
  explainText(envelope: JsonText, options?: { policy?: JsonText | Policy | null; trace?: boolean }): string {
    const transport = transportFor(this, "explainText");
    checkArguments(arguments, 2, "an envelope and options `{ policy, trace }`");
    return sendDocuments(transport, "explain", TEXT, { envelope, ...optionsOf(options, EXPLAIN_TEXT) });
  }

  /**
   * Returns the values that the conditions of a policy see in an envelope. It runs no rule.
   *
   * ```js
   * const known = engine.facts(envelope).variables.filter(({ state }) => state === "known");
   * ```
   *
   * @param envelope As for {@link Engine.evaluate}.
   * @param options `policy` as for {@link Engine.evaluate}.
   * @throws {AdjudicateError} as {@link Engine.evaluate}.
   */
  facts(envelope: Envelope | EvaluateCall, options?: { policy?: PolicyDocument | Policy | null }): KnownFacts {
    const transport = transportFor(this, "facts");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return sendDocuments(transport, "facts", values<KnownFacts>(), { envelope, ...optionsOf(options, FACTS) });
  }

  /**
   * The same as {@link Engine.facts}, from JSON text to JSON text.
   *
   * ```js
   * process.stdout.write(engine.factsText(envelopeText, { policy: policyText }));
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluateText}.
   */
  factsText(envelope: JsonText, options?: { policy?: JsonText | Policy | null }): string {
    const transport = transportFor(this, "factsText");
    checkArguments(arguments, 2, "an envelope and options `{ policy }`");
    return sendDocuments(transport, "facts", TEXT, { envelope, ...optionsOf(options, FACTS_TEXT) });
  }

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
  checkPolicy(document: PolicyDocument): CheckAnswer {
    const transport = transportFor(this, "checkPolicy");
    checkArguments(arguments, 1, "a policy document");
    if (handleOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.check()`");
    return sendDocuments(transport, "check_policy", values<CheckAnswer>(), { policy: document });
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
    const transport = transportFor(this, "checkPolicyText");
    checkArguments(arguments, 1, "a policy document");
    if (handleOf(document) !== undefined) throw wrongUsage("the policy is parsed already: use `policy.checkText()`");
    return sendDocuments(transport, "check_policy", TEXT, { policy: document });
  }
}

const EVALUATE: Form<"policy"> = { method: "evaluate", names: ["policy"], parsed: ["policy"] };
const EVALUATE_TEXT: Form<"policy"> = { method: "evaluateText", names: ["policy"], parsed: ["policy"] };
const FACTS: Form<"policy"> = { method: "facts", names: ["policy"], parsed: ["policy"] };
const FACTS_TEXT: Form<"policy"> = { method: "factsText", names: ["policy"], parsed: ["policy"] };
const REFINE: Form<"policy" | "evaluation"> = { method: "refine", names: ["policy", "evaluation"], parsed: ["policy"] };
const REFINE_TEXT: Form<"policy" | "evaluation"> = { method: "refineText", names: ["policy", "evaluation"], parsed: ["policy"] };
const EXPLAIN: Form<"policy" | "trace"> = { method: "explain", names: ["policy", "trace"], parsed: ["policy"] };
const EXPLAIN_TEXT: Form<"policy" | "trace"> = { method: "explainText", names: ["policy", "trace"], parsed: ["policy"] };

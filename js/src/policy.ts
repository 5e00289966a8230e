/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A policy that was parsed once: the handle that users hold.
 *
 * What it leads to, and what becomes of that, is `slot.ts`'s business.
 */
import { evaluateAll, evaluateLines, evaluating } from "./batch.js";
import { composed, type Member, type MemberText } from "./compose.js";
import { TEXT, ask, values } from "./face.js";
import type {
  BatchItem,
  CheckAnswer,
  ComposedEvaluation,
  Envelope,
  Evaluation,
  Explanation,
  Revision,
  RuleInfo,
} from "./generated/types.js";
import type { Instance } from "./instance.js";
import { optionsOf, type Form } from "./options.js";
import { Slot, free, hold, slotOf } from "./slot.js";
import type { JsonText } from "./text.js";
import { detached, refuseMore } from "./usage.js";

/** How the methods that decide are called. */
const ALONE = "a parsed policy takes the envelope alone, and decides under itself";

/** A parsed policy. Free it, or declare it with `using`, when it is not needed any more. */
export class Policy {
  /** The policy's name. */
  readonly name: string;
  /** The policy's version. */
  readonly version: string;
  /** The digest of the document's canonical JSON, `sha256:<hex>`: the same however the document is laid out. */
  readonly digest: string;
  /** The rules of its own, in the order of the document. */
  readonly rules: readonly RuleInfo[];

  /**
   * @param document UTF-8 that nobody else writes to.
   * @internal
   */
  constructor(instance: Instance, document: Uint8Array) {
    const slot = new Slot(instance, document);
    const { name, version, digest, rules } = slot.info();
    this.name = name;
    this.version = version;
    this.digest = digest;
    this.rules = rules;
    hold(this, slot);
  }

  /**
   * Evaluates an envelope under this policy.
   *
   * ```js
   * const { decision, findings } = policy.evaluate(envelope);
   * ```
   *
   * @throws {AdjudicateError} when the envelope is not of the documented form; `wrong_usage` when the policy has been
   * freed, or when there is anything beside the envelope.
   */
  evaluate(envelope: Envelope): Evaluation {
    const slot = slotFor(this, "evaluate");
    refuseMore(arguments, 1, ALONE);
    return ask(slot, "evaluate", values<Evaluation>(), { envelope });
  }

  /**
   * Evaluates an envelope given as JSON text under this policy, and answers JSON text.
   *
   * ```js
   * response.end(policy.evaluateText(body));
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  evaluateText(envelope: JsonText): string {
    const slot = slotFor(this, "evaluateText");
    refuseMore(arguments, 1, ALONE);
    return ask(slot, "evaluate", TEXT, { envelope });
  }

  /**
   * Evaluates many envelopes under this policy, as {@link Engine.evaluateBatch} does.
   *
   * ```js
   * const failures = policy.evaluateBatch(envelopes).filter(({ error }) => error);
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` for what is no list, or when the policy has been freed.
   */
  evaluateBatch(envelopes: readonly Envelope[]): BatchItem[] {
    const slot = slotFor(this, "evaluateBatch");
    refuseMore(arguments, 1, ALONE);
    slot.mustBeThere();
    return evaluateAll(envelopes, evaluating(slot, true));
  }

  /**
   * Evaluates lines of JSON text under this policy, as {@link Engine.evaluateBatchText} does.
   *
   * ```js
   * await writeFile("answers.ndjson", policy.evaluateBatchText(await readFile("envelopes.ndjson")));
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` for what is no text, or when the policy has been freed.
   */
  evaluateBatchText(lines: JsonText): string {
    const slot = slotFor(this, "evaluateBatchText");
    refuseMore(arguments, 1, ALONE);
    slot.mustBeThere();
    return evaluateLines(lines, evaluating(slot, true));
  }

  /**
   * Composes what this policy makes of an envelope with what others do, as {@link Engine.compose} does.
   *
   * ```js
   * const { decision } = policy.compose(envelope, { restrict: [theirs] });
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  compose(
    envelope: Envelope,
    options?: { override?: Member | null; restrict?: readonly Member[] | null },
  ): ComposedEvaluation {
    const slot = slotFor(this, "compose");
    refuseMore(arguments, 2, "an envelope and options, `{ override, restrict }`, are all");
    const say = { ...optionsOf(options, COMPOSE), policy: this };
    return composed(slot.instance, values<ComposedEvaluation>(), envelope, say);
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
    options?: { override?: MemberText | null; restrict?: readonly MemberText[] | null },
  ): string {
    const slot = slotFor(this, "composeText");
    refuseMore(arguments, 2, "an envelope and options, `{ override, restrict }`, are all");
    return composed(slot.instance, TEXT, envelope, { ...optionsOf(options, COMPOSE_TEXT), policy: this });
  }

  /**
   * Draws from an evaluation under this policy what the revision loop needs, as {@link Engine.refine} does.
   *
   * ```js
   * const { package: todo, reason } = policy.refine(envelope);
   * ```
   *
   * @param options `evaluation` is the envelope's own under this policy, where it is at hand.
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  refine(envelope: Envelope, options?: { evaluation?: Evaluation | null }): Revision {
    const slot = slotFor(this, "refine");
    refuseMore(arguments, 2, "an envelope and options, `{ evaluation }`, are all");
    return ask(slot, "refine", values<Revision>(), { envelope, ...optionsOf(options, REFINE) });
  }

  /**
   * The same as {@link Policy.refine}, from JSON text to JSON text.
   *
   * ```js
   * const revision = policy.refineText(body);
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  refineText(envelope: JsonText, options?: { evaluation?: JsonText | null }): string {
    const slot = slotFor(this, "refineText");
    refuseMore(arguments, 2, "an envelope and options, `{ evaluation }`, are all");
    return ask(slot, "refine", TEXT, { envelope, ...optionsOf(options, REFINE_TEXT) });
  }

  /**
   * Says why an envelope is decided as it is under this policy, as {@link Engine.explain} does.
   *
   * ```js
   * const { counterfactual } = policy.explain(envelope, { trace: true });
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  explain(envelope: Envelope, options?: { trace?: boolean }): Explanation {
    const slot = slotFor(this, "explain");
    refuseMore(arguments, 2, "an envelope and options, `{ trace }`, are all");
    return ask(slot, "explain", values<Explanation>(), { envelope, ...optionsOf(options, EXPLAIN) });
  }

  /**
   * The same as {@link Policy.explain}, from JSON text to JSON text.
   *
   * ```js
   * const explanation = policy.explainText(body);
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  explainText(envelope: JsonText, options?: { trace?: boolean }): string {
    const slot = slotFor(this, "explainText");
    refuseMore(arguments, 2, "an envelope and options, `{ trace }`, are all");
    return ask(slot, "explain", TEXT, { envelope, ...optionsOf(options, EXPLAIN_TEXT) });
  }

  /**
   * Looks for what is wrong with this policy, as {@link Engine.checkPolicy} does.
   *
   * ```js
   * const errors = policy.check().findings.filter(({ severity }) => severity === "error");
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` when the policy has been freed, or for any argument.
   */
  check(): CheckAnswer {
    const slot = slotFor(this, "check");
    refuseMore(arguments, 0, "a parsed policy checks itself");
    return ask(slot, "check_policy", values<CheckAnswer>(), {});
  }

  /**
   * The same as {@link Policy.check}, as JSON text.
   *
   * ```js
   * console.log(policy.checkText());
   * ```
   *
   * @throws {AdjudicateError} as {@link Policy.check}.
   */
  checkText(): string {
    const slot = slotFor(this, "checkText");
    refuseMore(arguments, 0, "a parsed policy checks itself");
    return ask(slot, "check_policy", TEXT, {});
  }

  /**
   * Gives the policy's memory back. Freeing it twice is fine, using it afterwards is `wrong_usage`.
   *
   * ```js
   * console.log(policy.evaluate(envelope).decision.status);
   * policy.free();
   * ```
   */
  free(): void {
    free(this, slotFor(this, "free"));
  }

  /**
   * As {@link Policy.free}, at the end of a block.
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

const COMPOSE: Form<"override" | "restrict"> = {
  method: "compose",
  names: ["override", "restrict"],
  takesParsed: true,
};
const COMPOSE_TEXT: Form<"override" | "restrict"> = { ...COMPOSE, method: "composeText" };
const REFINE: Form<"evaluation"> = { method: "refine", names: ["evaluation"], takesParsed: false };
const REFINE_TEXT: Form<"evaluation"> = { method: "refineText", names: ["evaluation"], takesParsed: false };
const EXPLAIN: Form<"trace"> = { method: "explain", names: ["trace"], takesParsed: false };
const EXPLAIN_TEXT: Form<"trace"> = { method: "explainText", names: ["trace"], takesParsed: false };

function slotFor(policy: unknown, method: string): Slot {
  const slot = slotOf(policy);
  if (slot === undefined) throw detached("policy", method);
  return slot;
}

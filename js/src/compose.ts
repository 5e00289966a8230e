/**
 * Composition: one decision of a base, an override and restrictions.
 *
 * Reads the members and passes them to the engine, which composes their answers.
 */
import { reasonOf, AdjudicateError } from "./error.js";
import type { Face } from "./face.js";
import type { Bindings } from "./generated/glue.js";
import type { ComposedEvaluation, Evaluation, PolicyDocument } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { itemOf, lengthOf } from "./list.js";
import { own } from "./own.js";
import type { Policy } from "./policy.js";
import { Slot, WITHIN_POLICY, slotOf } from "./slot.js";
import { isWellFormed, type JsonText } from "./text.js";
import { isPlain, kindOf, wrongUsage } from "./usage.js";

/** An external answer to the same envelope: of another engine, a policy module, a tool. */
export interface Answered<Answer> {
  /** The name of the evaluator: the `origin` of its findings. */
  readonly origin: string;
  /** Its answer. */
  readonly answer: Answer;
}

/** A member of a composition: a policy document, a parsed policy, or an external answer. */
export type Member = PolicyDocument | Policy | Answered<Evaluation | ComposedEvaluation>;

/** The same where documents and answers are JSON text. */
export type MemberText = JsonText | Policy | Answered<JsonText>;

/**
 * The policy of the base, and the other members.
 *
 * @internal
 */
export interface Say {
  readonly policy?: unknown;
  readonly override?: unknown;
  readonly restrict?: unknown;
}

/** Adds a member to the call that the engine composes. */
type AddMember = (call: InstanceType<Bindings["ComposedCall"]>, overrides: boolean, bindings: Bindings) => void;

/**
 * Composes the answers of all members to an envelope.
 *
 * @internal
 */
export function composed<Document, Answer>(
  instance: Instance,
  face: Face<Document, Answer>,
  envelope: Document,
  say: Say,
): Answer {
  const reading = new Reading(instance, face);
  const { policy, override, restrict } = own(say);
  try {
    const input = face.write(envelope);
    const base = policy === undefined ? undefined : reading.policy(policy, WITHIN_POLICY);
    const addOverride = override === undefined ? undefined : reading.member(override, "override: ");
    const addRestrictions = restrict === undefined ? [] : reading.list(restrict);
    const answer = instance.run((bindings) => {
      const call = new bindings.ComposedCall();
      if (base !== undefined) call.base(base.rawFor(bindings));
      addOverride?.(call, true, bindings);
      for (const add of addRestrictions) add(call, false, bindings);
      return call.evaluate(input);
    });
    return face.read(answer);
  } finally {
    reading.release();
  }
}

/** Reads the members; policies that are no handles of this engine's are parsed for as long as that takes. */
class Reading<Document, Answer> {
  readonly #instance: Instance;
  readonly #face: Face<Document, Answer>;
  readonly #own: Slot[] = [];

  constructor(instance: Instance, face: Face<Document, Answer>) {
    this.#instance = instance;
    this.#face = face;
  }

  list(list: unknown): AddMember[] {
    const length = lengthOf(list, "policies in `restrict`");
    const items = Array.from({ length }, (_, index) => `restrict[${index}]: `);
    return items.map((within, index) => this.member(itemOf(list as unknown[], index, within), within));
  }

  member(member: unknown, within: string): AddMember {
    const answered = answeredIn(member, within);
    if (answered === undefined) {
      const slot = this.policy(member, within);
      return (call, overrides, bindings) => call.policy(overrides, slot.rawFor(bindings));
    }
    const answer = this.#face.write(answered.answer as Document, within);
    return (call, overrides) => call.answer(overrides, answered.origin, answer);
  }

  policy(policy: unknown, within: string): Slot {
    const handle = slotOf(policy);
    if (handle?.instance === this.#instance) {
      handle.parse(within);
      return handle;
    }
    const document = handle?.mustBeThere() ?? this.#face.write(policy as Document, within);
    const slot = new Slot(this.#instance, document);
    this.#own.push(slot);
    slot.parse(within);
    return slot;
  }

  release(): void {
    for (const slot of this.#own) slot.release();
  }
}

/** The answer that a member is; `undefined` for one that is a policy. */
function answeredIn(member: unknown, within: string): Answered<unknown> | undefined {
  try {
    if (!isPlain(member) || !(Object.hasOwn(member, "origin") || Object.hasOwn(member, "answer"))) return undefined;
    const given = own(member as Partial<Answered<unknown>>);
    const { origin, answer } = given;
    const surplus = Reflect.ownKeys(given).find((key) => key !== "origin" && key !== "answer");
    if (surplus !== undefined) throw wrongUsage(`${within}an answer is \`{ origin, answer }\`, found \`${String(surplus)}\` too`);
    if (typeof origin !== "string") throw wrongUsage(`${within}\`origin\` is a name, found ${kindOf(origin)}`);
    if (!isWellFormed(origin)) throw wrongUsage(`${within}\`origin\` is not well-formed Unicode`);
    if (answer === undefined) throw wrongUsage(`${within}an answer is \`{ origin, answer }\`, found no \`answer\``);
    return { origin, answer };
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    throw wrongUsage(`${within}the value cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

/**
 * Composing: one decision of several who have a say.
 *
 * Owns who may have one, and brings them to the engine; how they are put together is the engine's.
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

/** What somebody else answered for the same envelope: another engine, a policy module, a person's tool. */
export interface Answered<Answer> {
  /** Whose answer it is: the `origin` of its findings. */
  readonly origin: string;
  /** What was answered. */
  readonly answer: Answer;
}

/** Somebody who has a say: a policy document, a parsed policy, or what somebody else answered. */
export type Member = PolicyDocument | Policy | Answered<Evaluation | ComposedEvaluation>;

/** The same where documents and answers are JSON text. */
export type MemberText = JsonText | Policy | Answered<JsonText>;

/**
 * Who has a say beside the base, and the policy of the base.
 *
 * @internal
 */
export interface Say {
  readonly policy?: unknown;
  readonly override?: unknown;
  readonly restrict?: unknown;
}

/** Somebody who has a say: adds it to what the engine composes. */
type Voice = (panel: InstanceType<Bindings["Panel"]>, overrides: boolean, bindings: Bindings) => void;

/**
 * Composes what all of them make of an envelope.
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
    const overriding = override === undefined ? undefined : reading.voice(override, "override: ");
    const restricting = restrict === undefined ? [] : reading.list(restrict);
    const answer = instance.run((bindings) => {
      const panel = new bindings.Panel();
      if (base !== undefined) panel.base(base.rawFor(bindings));
      overriding?.(panel, true, bindings);
      for (const voice of restricting) voice(panel, false, bindings);
      return panel.evaluate(input);
    });
    return face.read(answer);
  } finally {
    reading.release();
  }
}

/** Reads who has a say; policies that are no handles of this engine's are parsed for as long as that takes. */
class Reading<Document, Answer> {
  readonly #instance: Instance;
  readonly #face: Face<Document, Answer>;
  readonly #own: Slot[] = [];

  constructor(instance: Instance, face: Face<Document, Answer>) {
    this.#instance = instance;
    this.#face = face;
  }

  list(list: unknown): Voice[] {
    const length = lengthOf(list, "policies in `restrict`");
    const items = Array.from({ length }, (_, index) => `restrict[${index}]: `);
    return items.map((within, index) => this.voice(itemOf(list as unknown[], index, within), within));
  }

  voice(member: unknown, within: string): Voice {
    const answered = answeredIn(member, within);
    if (answered === undefined) {
      const slot = this.policy(member, within);
      return (panel, overrides, bindings) => panel.policy(overrides, slot.rawFor(bindings));
    }
    const answer = this.#face.write(answered.answer as Document, within);
    return (panel, overrides) => panel.answer(overrides, answered.origin, answer);
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

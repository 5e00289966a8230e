/**
 * Composition: one decision of a base, an override and restrictions.
 *
 * This file reads the members. The engine composes their answers.
 */
import { reasonOf, AdjudicateError } from "./error.js";
import type { Codec } from "./codec.js";
import type { Bindings } from "./generated/glue.js";
import type { ComposedEvaluation, Evaluation, PolicyDocument } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { itemOf, lengthOf } from "./list.js";
import { own } from "./own.js";
import type { Policy } from "./policy.js";
import { PolicyHandle, WITHIN_POLICY, policies } from "./policy-handle.js";
import { isWellFormed, type JsonText } from "./text.js";
import { isPlain, kindOf, wrongUsage } from "./usage.js";

/** An external answer to the same envelope, for example from another engine, a policy module or a tool. */
export interface ExternalAnswer<Answer> {
  /** The name of the evaluator: the `origin` of its findings. */
  readonly origin: string;
  /** The answer. */
  readonly answer: Answer;
}

/** A member of a composition: a policy document, a parsed policy, or an external answer. */
export type CompositionMember = PolicyDocument | Policy | ExternalAnswer<Evaluation | ComposedEvaluation>;

/** A member of a composition, with documents and answers as JSON text. */
export type CompositionMemberText = JsonText | Policy | ExternalAnswer<JsonText>;

/**
 * The policy of the base, the override and the restrictions.
 *
 * @internal
 */
export interface ComposeMembers {
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
  codec: Codec<Document, Answer>,
  envelope: Document,
  members: ComposeMembers,
): Answer {
  const reading = new MemberReader(instance, codec);
  const { policy, override, restrict } = own(members);
  try {
    const input = codec.encode(envelope);
    const base = policy === undefined ? undefined : reading.policy(policy, WITHIN_POLICY);
    const addOverride = override === undefined ? undefined : reading.member(override, "override: ");
    const addRestrictions = restrict === undefined ? [] : reading.list(restrict);
    const answer = instance.run((bindings) => {
      const call = new bindings.ComposedCall();
      if (base !== undefined) call.base(base.parsedFor(bindings));
      addOverride?.(call, true, bindings);
      for (const add of addRestrictions) add(call, false, bindings);
      return call.evaluate(input);
    });
    return codec.decode(answer);
  } finally {
    reading.release();
  }
}

/** Reads members. It parses policies that this engine has not parsed yet, and frees them at the end. */
class MemberReader<Document, Answer> {
  readonly #instance: Instance;
  readonly #codec: Codec<Document, Answer>;
  readonly #own: PolicyHandle[] = [];

  constructor(instance: Instance, codec: Codec<Document, Answer>) {
    this.#instance = instance;
    this.#codec = codec;
  }

  list(list: unknown): AddMember[] {
    const length = lengthOf(list, "policies in `restrict`");
    const items = Array.from({ length }, (_, index) => `restrict[${index}]: `);
    return items.map((within, index) => this.member(itemOf(list as unknown[], index, within), within));
  }

  member(member: unknown, within: string): AddMember {
    const answered = externalAnswerIn(member, within);
    if (answered === undefined) {
      const handle = this.policy(member, within);
      return (call, overrides, bindings) => call.policy(overrides, handle.parsedFor(bindings));
    }
    const answer = this.#codec.encode(answered.answer as Document, within);
    return (call, overrides) => call.answer(overrides, answered.origin, answer);
  }

  policy(policy: unknown, within: string): PolicyHandle {
    const known = policies.of(policy);
    if (known?.instance === this.#instance) {
      known.parse(within);
      return known;
    }
    const document = known?.requireDocument() ?? this.#codec.encode(policy as Document, within);
    const handle = new PolicyHandle(this.#instance, document);
    this.#own.push(handle);
    handle.parse(within);
    return handle;
  }

  release(): void {
    for (const handle of this.#own) handle.release();
  }
}

/** Returns the external answer in a member, or `undefined` if the member is a policy. */
function externalAnswerIn(member: unknown, within: string): ExternalAnswer<unknown> | undefined {
  try {
    if (!isPlain(member) || !(Object.hasOwn(member, "origin") || Object.hasOwn(member, "answer"))) return undefined;
    const given = own(member as Partial<ExternalAnswer<unknown>>);
    const { origin, answer } = given;
    const unknown = Reflect.ownKeys(given).find((key) => key !== "origin" && key !== "answer");
    if (unknown !== undefined) throw wrongUsage(`${within}unknown field \`${String(unknown)}\`, expected \`{ origin, answer }\``);
    if (typeof origin !== "string") throw wrongUsage(`${within}\`origin\` is a string, found ${kindOf(origin)}`);
    if (!isWellFormed(origin)) throw wrongUsage(`${within}\`origin\` is not well-formed Unicode`);
    if (answer === undefined) throw wrongUsage(`${within}missing field \`answer\`, expected \`{ origin, answer }\``);
    return { origin, answer };
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    throw wrongUsage(`${within}the value cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

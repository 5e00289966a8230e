/**
 * Composition: one decision of a base, an override and restrictions.
 *
 * This file reads the members. The engine composes their answers.
 */
import type { Codec } from "./codec.js";
import type { Bindings } from "./generated/glue.js";
import type { ComposedEvaluation, Evaluation, PolicyDocument } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { itemOf, lengthOf } from "./list.js";
import { own } from "./own.js";
import type { EvaluatePolicy } from "./policy.js";
import { withPolicies, type TakePolicy } from "./policy-handle.js";
import { isWellFormed, type JsonText } from "./text.js";
import { isPlain, kindOf, readable, wrongUsage } from "./usage.js";

/** An external answer to the same envelope, for example from another engine, a policy module or a tool. */
export interface ExternalAnswer<Answer> {
  /** The name of the evaluator: the `origin` of its findings. */
  readonly origin: string;
  /** The answer. */
  readonly answer: Answer;
}

/** A member of a composition: a policy document, a parsed policy, or an external answer. */
export type CompositionMember = PolicyDocument | EvaluatePolicy | ExternalAnswer<Evaluation | ComposedEvaluation>;

/** A member of a composition, with documents and answers as JSON text. */
export type CompositionMemberText = JsonText | EvaluatePolicy | ExternalAnswer<JsonText>;

/** Adds a member to the call that the engine composes. */
type AddMember = (call: InstanceType<Bindings["ComposedCall"]>, overrides: boolean, bindings: Bindings) => void;

/** Composes the answers of all members to an envelope. @internal */
export function composed<Document, Answer>(
  instance: Instance,
  codec: Codec<Document, Answer>,
  envelope: Document,
  members: { readonly policy?: unknown; readonly override?: unknown; readonly restrict?: unknown },
): Answer {
  const { policy, override, restrict } = own(members);
  return withPolicies(instance, codec.encode, (take) => {
    const read = (member: unknown, within: string) => memberIn(member, within, codec, take);
    const input = codec.encode(envelope);
    const base = policy === undefined ? undefined : take(policy);
    const addOverride = override === undefined ? undefined : read(override, "override: ");
    const addRestrictions = restrict === undefined ? [] : restrictionsIn(restrict, read);
    const answer = instance.run((bindings) => {
      const call = new bindings.ComposedCall();
      if (base !== undefined) call.base(base.parsedFor(bindings));
      addOverride?.(call, true, bindings);
      for (const add of addRestrictions) add(call, false, bindings);
      return call.evaluate(input);
    });
    return codec.decode(answer);
  });
}

function restrictionsIn(list: unknown, read: (member: unknown, within: string) => AddMember): AddMember[] {
  const length = lengthOf(list, "policies in `restrict`");
  const items = Array.from({ length }, (_, index) => `restrict[${index}]: `);
  return items.map((within, index) => read(itemOf(list as unknown[], index, within), within));
}

function memberIn<Document>(member: unknown, within: string, codec: Codec<Document, unknown>, take: TakePolicy): AddMember {
  const answered = externalAnswerIn(member, within);
  if (answered === undefined) {
    const handle = take(member, within);
    return (call, overrides, bindings) => call.policy(overrides, handle.parsedFor(bindings));
  }
  const answer = codec.encode(answered.answer as Document, within);
  return (call, overrides) => call.answer(overrides, answered.origin, answer);
}

/** Returns the external answer in a member, or `undefined` if the member is a policy. */
function externalAnswerIn(member: unknown, within: string): ExternalAnswer<unknown> | undefined {
  return readable(`${within}the value`, () => {
    if (!isPlain(member) || !(Object.hasOwn(member, "origin") || Object.hasOwn(member, "answer"))) return undefined;
    const given = own(member as Partial<ExternalAnswer<unknown>>);
    const { origin, answer } = given;
    const unknown = Reflect.ownKeys(given).find((key) => key !== "origin" && key !== "answer");
    if (unknown !== undefined) throw wrongUsage(`${within}unknown field \`${String(unknown)}\`, expected \`{ origin, answer }\``);
    if (typeof origin !== "string") throw wrongUsage(`${within}\`origin\` is a string, found ${kindOf(origin)}`);
    if (!isWellFormed(origin)) throw wrongUsage(`${within}\`origin\` is not well-formed Unicode`);
    if (answer === undefined) throw wrongUsage(`${within}missing field \`answer\`, expected \`{ origin, answer }\``);
    return { origin, answer };
  });
}

/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A policy that was parsed once, kept in the engine's memory.
 *
 * Owns the handle: when it is freed, and what becomes of it when the instance it lives in traps.
 */
import type { Bindings } from "./generated/glue.js";
import type { Envelope, Evaluation } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { detached, refuseMore, wrongUsage } from "./usage.js";

type Raw = InstanceType<Bindings["Policy"]>;

/** Where the parsed policy is. It must not lead back to the {@link Policy}, or that would never be forgotten. */
class Slot {
  readonly #instance: Instance;
  /** The text, for parsing it again; absent once the policy is freed. */
  #document: Uint8Array | undefined;
  /** The parsed policy, good only for the instance that these are the functions of. */
  #parsed: { bindings: Bindings; raw: Raw } | undefined;

  constructor(instance: Instance, document: Uint8Array) {
    this.#instance = instance;
    this.#document = document;
  }

  /** Runs one call with the policy as the living instance has it; after a trap it is parsed again. */
  run<Answer>(call: (raw: Raw) => Answer): Answer {
    const document = this.#document;
    if (document === undefined) throw wrongUsage("the policy has been freed");
    return this.#instance.run((bindings) => {
      if (this.#parsed?.bindings !== bindings) this.#parsed = { bindings, raw: new bindings.Policy(document) };
      return call(this.#parsed.raw);
    });
  }

  release(): void {
    const parsed = this.#parsed;
    this.#document = this.#parsed = undefined;
    // The memory of an instance that trapped is gone as a whole.
    if (parsed !== undefined && this.#instance.isAlive(parsed.bindings)) this.#instance.run(() => parsed.raw.free());
  }
}

/** Frees what its owner forgot to free; code that never waits never gets here, so `free` is the way. */
const forgotten = new FinalizationRegistry<Slot>((slot) => {
  try {
    slot.release();
  } catch {
    // A trap. Nobody waits for an answer here, and the next call has a fresh instance.
  }
});

/** How the methods that decide are called. */
const FORM = "a parsed policy takes the envelope alone, and decides under itself";

/** A parsed policy. Free it, or declare it with `using`, when it is not needed any more. */
export class Policy {
  readonly #slot: Slot;
  /** The policy's name. */
  readonly name: string;
  /** The policy's version. */
  readonly version: string;

  /**
   * @param document UTF-8 that nobody else writes to.
   * @internal
   */
  constructor(instance: Instance, document: Uint8Array) {
    this.#slot = new Slot(instance, document);
    this.name = this.#slot.run((raw) => raw.name);
    this.version = this.#slot.run((raw) => raw.version);
    forgotten.register(this, this.#slot, this);
  }

  static #slotOf(policy: unknown, method: string): Slot {
    if (!Policy.isPolicy(policy)) throw detached("policy", method);
    return policy.#slot;
  }

  /** @internal */
  static isPolicy(value: unknown): value is Policy {
    return typeof value === "object" && value !== null && #slot in value;
  }

  /**
   * Evaluates an envelope under this policy.
   *
   * @throws {AdjudicateError} when the envelope is not of the documented form; `wrong_usage` when the policy has been
   * freed, or when there is anything beside the envelope.
   */
  evaluate(envelope: Envelope): Evaluation {
    const slot = Policy.#slotOf(this, "evaluate");
    refuseMore(arguments, 1, FORM);
    const input = jsonOf(envelope);
    return JSON.parse(slot.run((raw) => raw.evaluate(input))) as Evaluation;
  }

  /**
   * Evaluates an envelope given as JSON text under this policy, and answers JSON text.
   *
   * @throws {AdjudicateError} as {@link Policy.evaluate}.
   */
  evaluateText(envelope: JsonText): string {
    const slot = Policy.#slotOf(this, "evaluateText");
    refuseMore(arguments, 1, FORM);
    const input = utf8(envelope);
    return slot.run((raw) => raw.evaluate(input));
  }

  /** Gives the policy's memory back. Freeing it twice is fine, using it afterwards is `wrong_usage`. */
  free(): void {
    const slot = Policy.#slotOf(this, "free");
    forgotten.unregister(this);
    slot.release();
  }

  [Symbol.dispose](): void {
    Policy.prototype.free.call(this);
  }
}

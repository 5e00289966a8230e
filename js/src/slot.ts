/**
 * Where parsed policies are: in the memory of an instance, until they are freed.
 *
 * Owns what the handles lead to. When an instance traps, everything in its memory is gone; the text of a policy is kept
 * here, and parsed again by the next call.
 */
import { AdjudicateError } from "./error.js";
import type { Bindings } from "./generated/glue.js";
import type { OperationName, PolicyInfo } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { wrongUsage } from "./usage.js";

type Raw = InstanceType<Bindings["Policy"]>;

/** A parsed policy. It must not lead back to its handle, or that would never be forgotten. */
export class Slot {
  /** Whose memory the policy is in. */
  readonly instance: Instance;
  /** The text, for parsing it again; absent once the policy is freed. */
  #document: Uint8Array | undefined;
  /** The parsed policy, good only for the instance that these are the functions of. */
  #parsed: { bindings: Bindings; raw: Raw } | undefined;

  /** @param document UTF-8 that nobody else writes to. */
  constructor(instance: Instance, document: Uint8Array) {
    this.instance = instance;
    this.#document = document;
  }

  /** @throws {AdjudicateError} `wrong_usage` when the policy has been freed. */
  mustBeThere(): Uint8Array {
    if (this.#document === undefined) throw wrongUsage("the policy has been freed");
    return this.#document;
  }

  /** Parses the policy now; `within` begins the message of an error. */
  parse(within: string): void {
    try {
      this.#run(() => undefined);
    } catch (thrown) {
      if (!(thrown instanceof AdjudicateError) || thrown.code === "trap") throw thrown;
      throw new AdjudicateError(thrown.code, within + thrown.message, thrown.path);
    }
  }

  /** Joins documents that came apart to the input of one call. */
  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.instance.join(documents);
  }

  /** Answers one call under the policy. */
  call(operation: OperationName, input: Uint8Array): string {
    const number = this.instance.numberOf(operation);
    return this.#run((raw) => raw.call(number, input));
  }

  /** What the policy is. */
  info(): PolicyInfo {
    return this.#run((raw) => raw.info() as PolicyInfo);
  }

  /** Gives the memory back; once is enough. */
  release(): void {
    const parsed = this.#parsed;
    this.#document = this.#parsed = undefined;
    // The memory of an instance that trapped is gone as a whole.
    if (parsed !== undefined && this.instance.isAlive(parsed.bindings)) this.instance.run(() => parsed.raw.free());
  }

  /** The policy as these functions have it, those of the living instance; after a trap it is parsed again. */
  rawFor(bindings: Bindings): Raw {
    if (this.#parsed?.bindings !== bindings) {
      this.#parsed = { bindings, raw: new bindings.Policy(this.mustBeThere()) };
    }
    return this.#parsed.raw;
  }

  /** Runs one call with the policy. */
  #run<Answer>(call: (raw: Raw) => Answer): Answer {
    this.mustBeThere();
    return this.instance.run((bindings) => call(this.rawFor(bindings)));
  }
}

/** What begins the message of an error in a policy that came beside an envelope, as the engine has it. */
export const WITHIN_POLICY = "policy: ";

/** Parses a policy that came beside envelopes, for as long as a function runs. */
export function under<Answer>(instance: Instance, document: Uint8Array, run: (slot: Slot) => Answer): Answer {
  const slot = new Slot(instance, document);
  try {
    slot.parse(WITHIN_POLICY);
    return run(slot);
  } finally {
    slot.release();
  }
}

/** The slots of all handles. What is not in here is no handle, whatever it inherits or stands for. */
const slots = new WeakMap<object, Slot>();

/** Frees what its owner forgot to free; code that never waits never gets here, so `free` is the way. */
const forgotten = new FinalizationRegistry<Slot>((slot) => {
  try {
    slot.release();
  } catch {
    // A trap. Nobody waits for an answer here, and the next call has a fresh instance.
  }
});

/** Makes an object the handle of a slot. */
export function hold(handle: object, slot: Slot): void {
  slots.set(handle, slot);
  forgotten.register(handle, slot, handle);
}

/** The slot of a handle; `undefined` for everything else. */
export function slotOf(handle: unknown): Slot | undefined {
  return typeof handle === "object" && handle !== null ? slots.get(handle) : undefined;
}

/** Frees what a handle leads to. The handle stays one, so that using it can be told from using anything else. */
export function free(handle: object, slot: Slot): void {
  forgotten.unregister(handle);
  slot.release();
}

/** Handles of parsed policies in the engine's memory. After a trap, the policy is parsed again from its text. */
import { AdjudicateError } from "./error.js";
import type { Bindings } from "./generated/glue.js";
import type { OperationName, PolicyInfo } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { wrongUsage } from "./usage.js";

type EnginePolicy = InstanceType<Bindings["Policy"]>;

/** A parsed policy. It must not refer to the `Policy` of the user, because the garbage collector would then never free it. */
export class PolicyHandle {
  /** The engine whose memory holds the policy. */
  readonly instance: Instance;
  /** The text, to parse it again after a trap. Undefined once the policy is freed. */
  #document: Uint8Array | undefined;
  /** The parsed policy, which is valid only with these bindings. */
  #parsed: { bindings: Bindings; raw: EnginePolicy } | undefined;

  /** @param document UTF-8 that no other code changes. */
  constructor(instance: Instance, document: Uint8Array) {
    this.instance = instance;
    this.#document = document;
  }

  /**
   * Returns the text of the policy.
   *
   * @throws {AdjudicateError} `wrong_usage` if the policy has been freed.
   */
  requireDocument(): Uint8Array {
    if (this.#document === undefined) throw wrongUsage("the policy has been freed");
    return this.#document;
  }

  /** Parses the policy now. `within` is a prefix of error messages. */
  parse(within: string): void {
    try {
      this.#run(() => undefined);
    } catch (thrown) {
      if (!(thrown instanceof AdjudicateError) || thrown.code === "trap") throw thrown;
      const others = thrown.others.map((other) => ({ ...other, message: within + other.message }));
      throw new AdjudicateError(thrown.code, within + thrown.message, thrown.path, { others });
    }
  }

  /** Joins separate documents to the input of one call. */
  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.instance.join(documents);
  }

  /** Answers one call under the policy. */
  call(operation: OperationName, input: Uint8Array): string {
    const number = this.instance.numberOf(operation);
    return this.#run((raw) => raw.call(number, input));
  }

  /** Returns the name, the version, the digest and the rules of the policy. */
  info(): PolicyInfo {
    return this.#run((raw) => raw.info() as PolicyInfo);
  }

  /** Frees the memory. A second call does nothing. */
  release(): void {
    const parsed = this.#parsed;
    this.#document = this.#parsed = undefined;
    // An instance that trapped was dropped with its whole memory.
    if (parsed !== undefined && this.instance.isAlive(parsed.bindings)) this.instance.run(() => parsed.raw.free());
  }

  /** Returns the parsed policy for the current bindings. Parses it again if an instance trapped. */
  parsedFor(bindings: Bindings): EnginePolicy {
    if (this.#parsed?.bindings !== bindings) {
      this.#parsed = { bindings, raw: new bindings.Policy(this.requireDocument()) };
    }
    return this.#parsed.raw;
  }

  /** Runs one call with the policy. */
  #run<Answer>(call: (raw: EnginePolicy) => Answer): Answer {
    this.requireDocument();
    return this.instance.run((bindings) => call(this.parsedFor(bindings)));
  }
}

/** The engine's prefix of messages about the policy of a call. */
export const WITHIN_POLICY = "policy: ";

/** Runs a function with a policy. A policy that this engine has not parsed yet is parsed now, and freed at the end. */
export function withPolicy<Document, Answer>(
  instance: Instance,
  policy: Document | object,
  encode: (document: Document, within: string) => Uint8Array,
  run: (handle: PolicyHandle) => Answer,
): Answer {
  const known = handleOf(policy);
  const isOurs = known?.instance === instance;
  const handle = isOurs ? known : new PolicyHandle(instance, known?.requireDocument() ?? encode(policy as Document, WITHIN_POLICY));
  try {
    handle.parse(WITHIN_POLICY);
    return run(handle);
  } finally {
    if (!isOurs) handle.release();
  }
}

/** The handle of each `Policy`. Objects that only inherit from a `Policy` have none. */
const handles = new WeakMap<object, PolicyHandle>();

/** Frees unreachable policies. It runs only if the caller returns to the event loop, so prefer `free`. */
const unreachable = new FinalizationRegistry<PolicyHandle>((handle) => {
  try {
    handle.release();
  } catch {
    // A trap. No call waits for an answer, and the next call gets a fresh instance.
  }
});

/** Attaches a handle to a `Policy`. */
export function attach(policy: object, handle: PolicyHandle): void {
  handles.set(policy, handle);
  unreachable.register(policy, handle, policy);
}

/** Returns the handle of a `Policy`, and `undefined` for any other value. */
export function handleOf(policy: unknown): PolicyHandle | undefined {
  return typeof policy === "object" && policy !== null ? handles.get(policy) : undefined;
}

/** Frees the handle of a `Policy`. It stays attached, so that later calls report a freed policy. */
export function detach(policy: object, handle: PolicyHandle): void {
  unreachable.unregister(policy);
  handle.release();
}

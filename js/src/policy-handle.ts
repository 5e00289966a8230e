/** Handles of parsed policies in the engine's memory. After a trap, the policy is parsed again from its text. */
import { AdjudicateError, prefixed } from "./error.js";
import type { Bindings } from "./generated/glue.js";
import type { OperationName, PolicyInfo } from "./generated/types.js";
import { Handles } from "./handles.js";
import type { Held, Instance } from "./instance.js";
import { wrongUsage } from "./usage.js";

type EnginePolicy = InstanceType<Bindings["Policy"]>;

/** A parsed policy. */
export class PolicyHandle {
  /** The engine whose memory holds the policy. */
  readonly instance: Instance;
  /** The text, to parse it again after a trap. Undefined once the policy is freed. */
  #document: Uint8Array | undefined;
  /** The parsed policy, which is valid only with these bindings. */
  #parsed: Held<EnginePolicy> | undefined;

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
      throw thrown instanceof AdjudicateError && thrown.code !== "trap" ? prefixed(within, thrown) : thrown;
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
    this.instance.free(parsed);
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
const WITHIN_POLICY = "policy: ";

/** Returns the handle of a policy that a call was given. `within` is a prefix of error messages. */
export type TakePolicy = (policy: unknown, within?: string) => PolicyHandle;

/** Runs a call with policies. Those that this engine has not parsed yet are parsed when the call takes them, and freed at its end. */
export function withPolicies<Document, Answer>(
  instance: Instance,
  encode: (document: Document, within: string) => Uint8Array,
  run: (take: TakePolicy) => Answer,
): Answer {
  const own: PolicyHandle[] = [];
  const handleIn = (policy: unknown, within: string) => {
    const known = policies.of(policy);
    if (known?.instance === instance) return known;
    const handle = new PolicyHandle(instance, known?.requireDocument() ?? encode(policy as Document, within));
    own.push(handle);
    return handle;
  };
  try {
    return run((policy, within = WITHIN_POLICY) => {
      const handle = handleIn(policy, within);
      handle.parse(within);
      return handle;
    });
  } finally {
    for (const handle of own) handle.release();
  }
}

/** The handle of each `Policy`. */
export const policies = new Handles<PolicyHandle>("policy");

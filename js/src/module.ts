/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A policy module that somebody else wrote: what users hold.
 *
 * It is asked like an engine, by the same methods. Each call has a fresh instance, so nothing is remembered from one to the next.
 * What is asked is read before the module sees it, and its answer must pass the operation's output contract: both by the
 * engine's own code, as in the native host.
 */
import { TEXT, askWhole, values, type Asker } from "./face.js";
import type { Answers, Calls, OperationName } from "./generated/types.js";
import { AdjudicateError } from "./error.js";
import { replyOf } from "./guest.js";
import type { Instance } from "./instance.js";
import { disposed, type Isolation } from "./isolation.js";
import type { ModuleManifest } from "./manifest.js";
import { askerFor } from "./operations.js";
import { PlanningOperations } from "./planning.js";
import type { JsonText } from "./text.js";
import { detached, refuseMore } from "./usage.js";

/** What a module is. */
export interface ModuleLabel {
  /** What it says of itself. */
  readonly manifest: ModuleManifest;
  /** The module's identity: the SHA-256 of its bytes, `sha256:<hex>`. */
  readonly digest: string;
  /** What it can be asked. */
  readonly operations: readonly OperationName[];
}

/** How much a call may carry, in bytes. */
export interface CallLimits {
  /** Of its input. */
  readonly input: number;
  /** Of its reply. */
  readonly output: number;
}

/** What all calls of a module have in common. @internal */
export class Bounds {
  readonly engine: Instance;
  readonly manifest: ModuleManifest;
  readonly limits: CallLimits;

  constructor(engine: Instance, manifest: ModuleManifest, limits: CallLimits) {
    this.engine = engine;
    this.manifest = manifest;
    this.limits = limits;
  }

  /** Refuses what the module does not offer, or need not read; the number of the operation. */
  admit(operation: OperationName, input: Uint8Array): number {
    const number = this.engine.numberOf(operation);
    const { name, operations } = this.manifest;
    if (!operations.includes(operation)) {
      throw new AdjudicateError("unsupported_operation", `the module \`${name}\` does not offer \`${operation}\``);
    }
    this.refuseLong(input);
    this.engine.admit(operation, input);
    return number;
  }

  /** Refuses an input that is over the limit, however many bytes more. A string has no fewer bytes than it has units. */
  refuseLong({ length }: { readonly length: number }): void {
    if (length <= this.limits.input) return;
    const message = `the input has ${length} bytes, the module's limit is ${this.limits.input}`;
    throw new AdjudicateError("module_input_too_large", message);
  }

  /** The answer in a reply. */
  judge(operation: OperationName, input: Uint8Array, reply: Uint8Array): string {
    return this.engine.judge(operation, input, reply);
  }

  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.engine.join(documents);
  }
}

/** Asks on this thread. @internal */
export class Here implements Asker<string> {
  readonly bounds: Bounds;
  #module: WebAssembly.Module | undefined;

  constructor(bounds: Bounds, module: WebAssembly.Module) {
    this.bounds = bounds;
    this.#module = module;
  }

  call(operation: OperationName, input: Uint8Array): string {
    if (this.#module === undefined) throw disposed();
    const number = this.bounds.admit(operation, input);
    return this.bounds.judge(operation, input, replyOf(this.#module, number, input, this.bounds.limits.output));
  }

  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.bounds.join(documents);
  }

  end(): void {
    this.#module = undefined;
  }
}

/** Asks in a worker. @internal */
export class Elsewhere implements Asker<Promise<string>> {
  readonly bounds: Bounds;
  readonly #isolation: Isolation;

  constructor(bounds: Bounds, isolation: Isolation) {
    this.bounds = bounds;
    this.#isolation = isolation;
  }

  async call(operation: OperationName, input: Uint8Array): Promise<string> {
    const number = this.bounds.admit(operation, input);
    const reply = await this.#isolation.reply(number, input, this.bounds.limits.output);
    return this.bounds.judge(operation, input, reply);
  }

  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.bounds.join(documents);
  }

  end(): void {
    this.#isolation.end();
  }
}

/**
 * A policy module that runs on this thread: its methods are synchronous, and nothing ends one that does not come back.
 */
export class PolicyModule extends PlanningOperations implements ModuleLabel {
  /** What it says of itself. */
  readonly manifest: ModuleManifest;
  /** The module's identity: the SHA-256 of its bytes, `sha256:<hex>`. */
  readonly digest: string;
  /** What it can be asked. */
  readonly operations: readonly OperationName[];

  /** @internal */
  constructor(asker: Here | Elsewhere, digest: string) {
    super(asker);
    const { manifest } = asker.bounds;
    this.manifest = manifest;
    this.digest = digest;
    this.operations = manifest.operations;
  }

  /**
   * Answers a whole call of any operation, by its name.
   *
   * ```js
   * const evaluation = module.call("evaluate", { envelope, policy });
   * ```
   *
   * @throws {AdjudicateError} `unsupported_operation` for one that the module does not offer; else as the operation's method.
   */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Answers[Name] {
    const asker = moduleFor(this, "call");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    return askWhole(asker, operation, values<Answers[Name]>(), call);
  }

  /**
   * The same as {@link PolicyModule.call}, from JSON text to JSON text: the answer is the module's own, byte for byte.
   *
   * ```js
   * const answer = module.callText("evaluate", envelopeText);
   * ```
   *
   * @throws {AdjudicateError} as {@link PolicyModule.call}.
   */
  callText(operation: OperationName, call: JsonText): string {
    const asker = moduleFor(this, "callText");
    refuseMore(arguments, 2, "the name of an operation and a call are all");
    if (typeof call === "string" || call instanceof Uint8Array) asker.bounds.refuseLong(call);
    return askWhole(asker, operation, TEXT, call);
  }

  /**
   * Lets go of the module; it answers no more. One that is in a worker keeps that until then.
   *
   * ```js
   * module.dispose();
   * ```
   */
  dispose(): void {
    moduleFor(this, "dispose").end();
  }

  /**
   * As {@link PolicyModule.dispose}, at the end of a block.
   *
   * ```js
   * using gone = module;
   * console.log(gone.evaluate(envelope).decision.status);
   * ```
   */
  [Symbol.dispose](): void {
    PolicyModule.prototype.dispose.call(this);
  }
}

function moduleFor(owner: unknown, method: string): Here | Elsewhere {
  const asker = askerFor(owner, method);
  if (asker instanceof Here || asker instanceof Elsewhere) return asker;
  throw detached("module", method);
}

/** The same methods, with answers that come later. */
export type Later<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Answer>
    : Methods[Name];
};

/**
 * A policy module that runs in a worker, with a deadline for each call: the methods of {@link PolicyModule}, with promises of
 * their answers. Calls are made one after the other; one that takes too long is `module_deadline`, and loses no other.
 */
export interface IsolatedModule extends Later<PlanningOperations>, ModuleLabel {
  /** As {@link PolicyModule.call}. */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Promise<Answers[Name]>;
  /** As {@link PolicyModule.callText}. */
  callText(operation: OperationName, call: JsonText): Promise<string>;
  /** Ends the worker; calls that wait for an answer get an error. */
  dispose(): void;
  /** As `dispose`, at the end of a block that has it by `using`. */
  [Symbol.dispose](): void;
}

/** @internal */
export const IsolatedModule = class IsolatedModule extends PolicyModule {};

/** Ends the worker of what its owner forgot to dispose of, some time. */
const forgotten = new FinalizationRegistry<Elsewhere>((asker) => asker.end());

/** A module in a worker. @internal */
export function isolated(asker: Elsewhere, digest: string): IsolatedModule {
  const module = new IsolatedModule(asker, digest);
  forgotten.register(module, asker);
  return module as unknown as IsolatedModule;
}

// What is wrong with a call is a rejection, too. The questions are asked, and what is given is copied, at once.
for (const name of methodsOf(PolicyModule.prototype)) {
  if (name === "dispose") continue;
  const method: unknown = Reflect.get(PolicyModule.prototype, name);
  const value = async function (this: unknown, ...given: unknown[]): Promise<unknown> {
    return Reflect.apply(method as (...given: unknown[]) => unknown, this, given);
  };
  Object.defineProperty(IsolatedModule.prototype, name, { value, writable: true, configurable: true });
}

/** The names of all methods, inherited ones among them. */
function methodsOf(prototype: object): string[] {
  const parent: unknown = Object.getPrototypeOf(prototype);
  if (parent === null || typeof parent !== "object") return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return [...own, ...methodsOf(parent)];
}

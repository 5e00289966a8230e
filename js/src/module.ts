/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The class `PolicyModule`: an untrusted policy module with the methods of an engine.
 *
 * Each call has a new instance, so a module keeps no state. The engine parses every input before the module sees it. It also checks every
 * answer against the output contract of the operation, as the native host does.
 */
import { TEXT, sendCall, values, type Transport } from "./codec.js";
import type { Answers, Calls, ModuleManifest, OperationName } from "./generated/types.js";
import { AdjudicateError } from "./error.js";
import { minorVersionOf, replyOf } from "./guest.js";
import type { Instance } from "./instance.js";
import { disposed } from "./isolation.js";
import { OperationMethods, transportFor } from "./methods.js";
import type { PlanningOperations } from "./plans.js";
import type { JsonText } from "./text.js";
import { detached, checkArguments } from "./usage.js";

/** The manifest, the digest and the operations of a module. */
export interface ModuleLabel {
  /** The manifest of the module. */
  readonly manifest: ModuleManifest;
  /** The SHA-256 of the module's bytes, `sha256:<hex>`. */
  readonly digest: string;
  /** The operations of the module. */
  readonly operations: readonly OperationName[];
}

/** The limits of a call, in bytes. */
export interface CallLimits {
  /** The limit of its input. */
  readonly input: number;
  /** The limit of its reply. */
  readonly output: number;
}

/** A compiled module that runs on this thread, or in a worker, which returns promises. @internal */
export interface ModuleRunner {
  /** Returns the minor version of the interface, as the module reports it. */
  minorVersion(): number | Promise<number>;
  /** Returns the bytes of a reply. */
  reply(operation: number, input: Uint8Array, outputLimit: number): Uint8Array | Promise<Uint8Array>;
  /** Frees the module. Later calls are `wrong_usage`. */
  end(): void;
}

/** Returns a module that runs on this thread. @internal */
export function localRunner(module: WebAssembly.Module): ModuleRunner {
  let held: WebAssembly.Module | undefined = module;
  const running = () => {
    if (held === undefined) throw disposed();
    return held;
  };
  return {
    minorVersion: () => minorVersionOf(running()),
    reply: (operation, input, outputLimit) => replyOf(running(), operation, input, outputLimit),
    end: () => {
      held = undefined;
    },
  };
}

/** Calls a module, with the checks before and after each call. @internal */
export class ModuleTransport implements Transport<string | Promise<string>> {
  readonly runner: ModuleRunner;
  readonly manifest: ModuleManifest;
  readonly #engine: Instance;
  readonly #limits: CallLimits;

  constructor(runner: ModuleRunner, manifest: ModuleManifest, engine: Instance, limits: CallLimits) {
    this.runner = runner;
    this.manifest = manifest;
    this.#engine = engine;
    this.#limits = limits;
  }

  call(operation: OperationName, input: Uint8Array): string | Promise<string> {
    const number = this.#admit(operation, input);
    const reply = this.runner.reply(number, input, this.#limits.output);
    const answerIn = (bytes: Uint8Array) => this.#engine.judge(operation, input, bytes);
    return reply instanceof Promise ? reply.then(answerIn) : answerIn(reply);
  }

  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    return this.#engine.join(documents);
  }

  /** Rejects an input over the limit. A string has at least as many bytes as it has units, so its length is a lower bound. */
  checkLength({ length }: { readonly length: number }): void {
    if (length <= this.#limits.input) return;
    const message = `the input has ${length} bytes, the module's limit is ${this.#limits.input}`;
    throw new AdjudicateError("module_input_too_large", message);
  }

  /** Rejects operations that the module does not offer, and invalid inputs. Returns the number of the operation. */
  #admit(operation: OperationName, input: Uint8Array): number {
    const number = this.#engine.numberOf(operation);
    const { name, operations } = this.manifest;
    if (!operations.includes(operation)) {
      throw new AdjudicateError("unsupported_operation", `the module \`${name}\` does not offer \`${operation}\``);
    }
    this.checkLength(input);
    this.#engine.admit(operation, input);
    return number;
  }
}

/**
 * A policy module that runs on this thread. Its methods are synchronous, and no deadline ends an infinite loop.
 */
export class PolicyModule extends OperationMethods implements ModuleLabel {
  /** The manifest of the module. */
  readonly manifest: ModuleManifest;
  /** The SHA-256 of the module's bytes, `sha256:<hex>`. */
  readonly digest: string;
  /** The operations of the module. */
  readonly operations: readonly OperationName[];

  /** @internal */
  constructor(transport: ModuleTransport, digest: string) {
    super(transport);
    const { manifest } = transport;
    this.manifest = manifest;
    this.digest = digest;
    this.operations = manifest.operations;
  }

  /**
   * Answers a call of any operation, by its name. The call is one document.
   *
   * ```js
   * const evaluation = module.call("evaluate", { envelope, policy });
   * ```
   *
   * @throws {AdjudicateError} `unsupported_operation` for an operation that the module does not offer; otherwise as the operation's method.
   */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Answers[Name] {
    const transport = moduleFor(this, "call");
    checkArguments(arguments, 2, "the name of an operation and a call");
    return sendCall(transport, operation, values<Answers[Name]>(), call);
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
    const transport = moduleFor(this, "callText");
    checkArguments(arguments, 2, "the name of an operation and a call");
    if (typeof call === "string" || call instanceof Uint8Array) transport.checkLength(call);
    return sendCall(transport, operation, TEXT, call);
  }

  /**
   * Frees the module, and ends its worker if it has one. Later calls throw `wrong_usage`.
   *
   * ```js
   * module.dispose();
   * ```
   */
  dispose(): void {
    moduleFor(this, "dispose").runner.end();
  }

  /**
   * Frees the module at the end of a block, as {@link PolicyModule.dispose} does.
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

function moduleFor(owner: unknown, method: string): ModuleTransport {
  const transport = transportFor(owner, method);
  if (transport instanceof ModuleTransport) return transport;
  throw detached("module", method);
}

/** The same methods, with promises of their answers. */
export type Asynchronous<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Answer>
    : Methods[Name];
};

/**
 * A policy module that runs in a worker, with a deadline for each call. The methods are those of {@link PolicyModule}, and return
 * promises. Calls run one at a time. A call that takes too long rejects with `module_deadline`; other calls still get their answers.
 */
export interface IsolatedModule extends Asynchronous<PlanningOperations>, ModuleLabel {
  /** As {@link PolicyModule.call}. */
  call<Name extends OperationName>(operation: Name, call: Calls[Name]): Promise<Answers[Name]>;
  /** As {@link PolicyModule.callText}. */
  callText(operation: OperationName, call: JsonText): Promise<string>;
  /** Ends the worker. Open calls reject with `wrong_usage`. */
  dispose(): void;
  /** Ends the worker at the end of a block with `using`. */
  [Symbol.dispose](): void;
}

/** @internal */
export const IsolatedModule = class IsolatedModule extends PolicyModule {};

/** Ends the workers of unreachable modules. */
const unreachable = new FinalizationRegistry<ModuleRunner>((runner) => runner.end());

/** Returns a module in a worker. @internal */
export function isolated(transport: ModuleTransport, digest: string): IsolatedModule {
  const module = new IsolatedModule(transport, digest);
  unreachable.register(module, transport.runner);
  return module as unknown as IsolatedModule;
}

// Each method becomes asynchronous, so its errors are rejections. It still copies its arguments before it returns.
for (const name of methodsOf(PolicyModule.prototype)) {
  if (name === "dispose") continue;
  const method: unknown = Reflect.get(PolicyModule.prototype, name);
  const value = async function (this: unknown, ...given: unknown[]): Promise<unknown> {
    return Reflect.apply(method as (...given: unknown[]) => unknown, this, given);
  };
  Object.defineProperty(IsolatedModule.prototype, name, { value, writable: true, configurable: true });
}

/** Returns the names of all methods, including inherited ones. */
function methodsOf(prototype: object): string[] {
  const parent: unknown = Object.getPrototypeOf(prototype);
  if (parent === null || typeof parent !== "object") return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return [...own, ...methodsOf(parent)];
}

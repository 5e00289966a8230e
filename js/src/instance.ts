/**
 * An instance of the engine's WebAssembly, which is replaced after a trap.
 *
 * wasm-bindgen's own loader keeps one instance for the whole page, and its `instanceof WebAssembly.Module` fails for a module of another
 * realm. So each instance gets its own glue here. After a trap, the instance is dropped with everything that refers to it.
 */
import { AdjudicateError, type ErrorPart, reasonOf } from "./error.js";
import { createGlue, type Bindings } from "./generated/glue.js";
import type { ModuleManifest, OperationName } from "./generated/types.js";
import { hex } from "./text.js";
import { kindOf, shortened, wrongUsage } from "./usage.js";

/** The property of an engine with its instance, for the entry `adjudicate/verdict`. It is the same in every bundle. */
export const INSTANCE = Symbol.for("adjudicate.instance");

/** An object in the memory of an instance, which is valid only with the instance's bindings. */
export interface Held<Raw> {
  readonly bindings: Bindings;
  readonly raw: Raw;
}

/** A compiled engine and its current instance. */
export class Instance {
  /** Undefined after `end`. */
  #module: WebAssembly.Module | undefined;
  readonly #numbers: ReadonlyMap<OperationName, number>;
  #bindings: Bindings | undefined;

  /** @throws {AdjudicateError} `engine_load` if the module is not the engine's. */
  constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#bindings = instantiate(module);
    this.#numbers = new Map(this.run((bindings) => bindings.operations() as [OperationName, number][]));
  }

  /**
   * The functions of the current instance. After a trap they are new ones.
   *
   * @throws {AdjudicateError} `wrong_usage` after `end`.
   */
  get bindings(): Bindings {
    if (this.#module === undefined) throw wrongUsage("the engine has been disposed of");
    this.#bindings ??= instantiate(this.#module);
    return this.#bindings;
  }

  /** Frees the instance and its memory. Later calls throw `wrong_usage`. */
  end(): void {
    this.#module = this.#bindings = undefined;
  }

  /** The names of the operations, in the order of their numbers. */
  get operations(): OperationName[] {
    return [...this.#numbers.keys()];
  }

  /**
   * Returns this instance.
   *
   * @throws {AdjudicateError} `wrong_usage` for an engine of `adjudicate/evaluate`, which has no code for modules and verdicts.
   */
  whole(): this {
    if (this.#numbers.has("check_policy")) return this;
    throw wrongUsage("expected the whole engine, found the engine of `adjudicate/evaluate`");
  }

  /** Frees an object. An instance that trapped was dropped with its whole memory. */
  free(held: Held<{ free(): void }> | undefined): void {
    if (held !== undefined && held.bindings === this.#bindings) this.run(() => held.raw.free());
  }

  /**
   * Returns the number of an operation.
   *
   * @throws {AdjudicateError} `unsupported_operation` for an unknown name, `wrong_usage` if the argument is not a string.
   */
  numberOf(operation: OperationName): number {
    const number = this.#numbers.get(operation);
    if (number !== undefined) return number;
    if (typeof operation !== "string") throw wrongUsage(`expected the name of an operation, found ${kindOf(operation)}`);
    throw new AdjudicateError("unsupported_operation", `unknown operation \`${shortened(operation)}\`; this engine has ${this.operations.join(", ")}`);
  }

  /** Answers a call of an operation, from JSON text to JSON text. */
  call(operation: OperationName, input: Uint8Array): string {
    const number = this.numberOf(operation);
    return this.run((bindings) => bindings.call(number, input));
  }

  /**
   * Joins separate documents to the input of one call.
   *
   * @throws {AdjudicateError} for the first document that is not JSON, or is `null`.
   */
  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array {
    const names = documents.map(([name]) => name);
    const lengths = Uint32Array.from(documents, ([, text]) => text.length);
    const texts = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const [, text] of documents) {
      texts.set(text, at);
      at += text.length;
    }
    return this.run((bindings) => bindings.join(names, lengths, texts));
  }

  /**
   * Parses the manifest of a policy module. The result is frozen.
   *
   * @throws {AdjudicateError} `module_manifest`, with the path of the wrong field.
   */
  manifestOf(text: Uint8Array): ModuleManifest {
    this.run((bindings) => bindings.manifest(text));
    const freeze = (_: string, value: unknown): unknown => Object.freeze(value);
    return JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(text), freeze) as ModuleManifest;
  }

  /** Checks the input of a call as the operation reads it, before a policy module is called. */
  admit(operation: OperationName, input: Uint8Array): void {
    const number = this.numberOf(operation);
    this.run((bindings) => bindings.admit(number, input));
  }

  /**
   * Returns the answer in a policy module's reply, byte for byte.
   *
   * @throws {AdjudicateError} if the bytes are not a reply, or the answer breaks the operation's output contract; also the error that the
   * module reported.
   */
  judge(operation: OperationName, input: Uint8Array, reply: Uint8Array): string {
    const number = this.numberOf(operation);
    return this.run((bindings) => bindings.judge(number, input, reply));
  }

  /** Returns the SHA-256 of bytes, `sha256:<hex>`. */
  digestOf(bytes: Uint8Array): string {
    const digest = this.run((bindings) => {
      const hash = new bindings.Hash();
      // The engine's memory never shrinks, so it gets the bytes in pieces.
      for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
      return hash.finish();
    });
    return `sha256:${hex(digest)}`;
  }

  /**
   * Runs one call into the engine.
   *
   * @throws {AdjudicateError} the error that the engine reports. For `trap`, the next call gets a new instance.
   */
  run<Answer>(call: (bindings: Bindings) => Answer): Answer {
    const { bindings } = this;
    try {
      return call(bindings);
    } catch (thrown) {
      if (isDetails(thrown)) throw new AdjudicateError(thrown.code, thrown.message, thrown.path, { others: thrown.others });
      this.#bindings = undefined;
      throw new AdjudicateError("trap", `the engine trapped: ${reasonOf(thrown)}`, "", { cause: thrown });
    }
  }
}

const HASHED_AT_ONCE = 64 << 10;

/** The error that the engine throws. */
type ErrorDetails = ErrorPart & { readonly others?: readonly ErrorPart[] };

function isDetails(thrown: unknown): thrown is ErrorDetails {
  return typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && Object.hasOwn(thrown, "code");
}

function instantiate(module: WebAssembly.Module): Bindings {
  const { bindings, imports, start } = createGlue();
  try {
    start(new WebAssembly.Instance(module, imports).exports);
  } catch (cause) {
    throw loadFailure(cause);
  }
  return bindings;
}

/** Returns the error of an engine that could not be loaded. */
export function loadFailure(cause: unknown): AdjudicateError {
  return new AdjudicateError("engine_load", `the engine could not be loaded: ${reasonOf(cause)}`, "", { cause });
}

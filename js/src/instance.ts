/**
 * One live instance of the engine's WebAssembly, replaced when it traps.
 *
 * Owns the loader. wasm-bindgen's own start-up code asks `instanceof WebAssembly.Module`, which fails for a module of
 * another realm, and keeps one instance for the whole page. Here each instance has glue of its own, so that a trapped
 * one can be dropped with everything that refers to it.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { createGlue, type Bindings } from "./generated/glue.js";
import type { ErrorCode, OperationName } from "./generated/types.js";
import { kindOf, shortened, wrongUsage } from "./usage.js";

/** A compiled engine, and the instance of it that is alive. */
export class Instance {
  /** Absent once it was let go of. */
  #module: WebAssembly.Module | undefined;
  readonly #numbers: ReadonlyMap<OperationName, number>;
  #bindings: Bindings | undefined;

  /** @throws {AdjudicateError} `engine_load` when the module is not the engine's. */
  constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#bindings = instantiate(module);
    this.#numbers = new Map(this.run((bindings) => bindings.operations() as [OperationName, number][]));
  }

  /**
   * The functions of the instance that is alive: other ones after a trap.
   *
   * @throws {AdjudicateError} `wrong_usage` once it was let go of.
   */
  get bindings(): Bindings {
    if (this.#module === undefined) throw wrongUsage("the engine has been disposed of");
    this.#bindings ??= instantiate(this.#module);
    return this.#bindings;
  }

  /** Lets go of the instance and its memory; there is no other after it. */
  end(): void {
    this.#module = this.#bindings = undefined;
  }

  /** What the engine can be asked, in the order of the specification. */
  get operations(): OperationName[] {
    return [...this.#numbers.keys()];
  }

  /** Whether these are the functions of the instance that is alive. */
  isAlive(bindings: Bindings): boolean {
    return bindings === this.#bindings;
  }

  /**
   * The number that stands for an operation.
   *
   * @throws {AdjudicateError} `unsupported_operation` for a name that is none, `wrong_usage` for what is no name.
   */
  numberOf(operation: OperationName): number {
    const number = this.#numbers.get(operation);
    if (number !== undefined) return number;
    if (typeof operation !== "string") throw wrongUsage(`an operation is a name, found ${kindOf(operation)}`);
    throw new AdjudicateError("unsupported_operation", `this engine has no operation \`${shortened(operation)}\``);
  }

  /** Answers one call of an operation, text to text. */
  call(operation: OperationName, input: Uint8Array): string {
    const number = this.numberOf(operation);
    return this.run((bindings) => bindings.call(number, input));
  }

  /**
   * Joins documents that came apart to the input of one call.
   *
   * @throws {AdjudicateError} for the first of them that is not one JSON document, or is `null`.
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

  /** Reads a text by the rules of all documents, and looks no further. */
  read(text: Uint8Array): void {
    this.run((bindings) => bindings.read(text));
  }

  /** Reads the input of a call of an operation, and looks no further: before a policy module is asked. */
  admit(operation: OperationName, input: Uint8Array): void {
    const number = this.numberOf(operation);
    this.run((bindings) => bindings.admit(number, input));
  }

  /**
   * The answer in a policy module's reply to an input, byte for byte.
   *
   * @throws {AdjudicateError} for what is no reply, or breaks the operation's output contract; and what the module reported.
   */
  judge(operation: OperationName, input: Uint8Array, reply: Uint8Array): string {
    const number = this.numberOf(operation);
    return this.run((bindings) => bindings.judge(number, input, reply));
  }

  /** The SHA-256 of bytes, `sha256:<hex>`. */
  digestOf(bytes: Uint8Array): string {
    const digest = this.run((bindings) => {
      const hash = new bindings.Hash();
      // In pieces, for the engine's memory never shrinks.
      for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
      return hash.finish();
    });
    return `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }

  /**
   * Runs one call into the engine.
   *
   * @throws {AdjudicateError} with what the engine says; or `trap`, and then the next call has a fresh instance.
   */
  run<Answer>(call: (bindings: Bindings) => Answer): Answer {
    const { bindings } = this;
    try {
      return call(bindings);
    } catch (thrown) {
      if (isDetails(thrown)) throw new AdjudicateError(thrown.code, thrown.message, thrown.path);
      this.#bindings = undefined;
      throw new AdjudicateError("trap", `the engine trapped: ${reasonOf(thrown)}`, "", { cause: thrown });
    }
  }
}

const HASHED_AT_ONCE = 64 << 10;

/** What the engine throws when there is no answer. */
interface Details {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
}

function isDetails(thrown: unknown): thrown is Details {
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

/** An error about the engine's WebAssembly itself. */
export function loadFailure(cause: unknown): AdjudicateError {
  return new AdjudicateError("engine_load", `the engine could not be loaded: ${reasonOf(cause)}`, "", { cause });
}

/// <reference lib="esnext.disposable" preserve="true" />
/** The class `OpenEnvelope`: an envelope that stays in the engine's memory and takes changes, for previews. */
import { AdjudicateError } from "./error.js";
import type { Bindings } from "./generated/glue.js";
import type { Evaluation } from "./generated/types.js";
import { Handles } from "./handles.js";
import type { Held, Instance } from "./instance.js";
import type { EvaluatePolicy } from "./policy.js";
import { withPolicies, type PolicyHandle } from "./policy-handle.js";
import { textOf } from "./strict.js";
import { isWellFormed, utf8, type JsonText } from "./text.js";
import { checkArguments, kindOf, wrongUsage } from "./usage.js";

/**
 * An envelope that stays in the engine's memory. After a change, an evaluation reads only the new value from text.
 *
 * The answers and errors of `evaluate` are those of {@link Engine.evaluate} for the changed envelope. If the engine traps, the envelope is
 * lost: all methods except `free` throw `trap`, and you open it again.
 */
export class OpenEnvelope {
  /**
   * @param input UTF-8.
   * @internal
   */
  constructor(instance: Instance, input: Uint8Array, policy?: PolicyHandle) {
    envelopes.attach(this, new OpenHandle(instance, input, policy));
  }

  /**
   * Sets a value: replaces it, adds a field to the end of an object, or appends to a list.
   *
   * ```js
   * const { decision } = open.set("/evidence/validation/exit_codes/lint", 1).evaluate();
   * open.set("/allowed_next_steps/-", "rollback").set("/evidence/artifacts/0", "report.html");
   * ```
   *
   * @param pointer A JSON Pointer (RFC 6901). The index `-`, or the number of items, appends to a list. The empty pointer replaces the envelope.
   * @param value Any value with a JSON form. `evaluate` checks its type, so you can correct an invalid value later.
   * @returns The open envelope.
   * @throws {AdjudicateError} `missing_field` or `invalid_value` for a pointer into a value that does not exist, at the first missing part;
   * `invalid_value` if the value has no JSON form. `limit_exceeded` if the envelope gets too large or too deep; `wrong_usage` if it has been
   * freed. The envelope is then as before.
   */
  set(pointer: string, value: unknown): this {
    const handle = envelopes.for(this, "set");
    checkArguments(arguments, 2, "a JSON Pointer and a value");
    const at = pointerOf(pointer);
    const text = below(at, () => bytesOf(textOf(value, "")));
    handle.run((raw) => raw.set(at, text));
    return this;
  }

  /**
   * The same as {@link OpenEnvelope.set}, with the value as JSON text.
   *
   * ```js
   * open.setText("/evidence/transcript_summary", JSON.stringify(input.value));
   * ```
   *
   * @throws {AdjudicateError} as {@link OpenEnvelope.set}; `malformed_json` and `duplicate_key` for the text, with a path that begins with the pointer.
   */
  setText(pointer: string, value: JsonText): this {
    const handle = envelopes.for(this, "setText");
    checkArguments(arguments, 2, "a JSON Pointer and a value");
    const at = pointerOf(pointer);
    const text = below(at, () => bytesOf(value));
    handle.run((raw) => raw.set(at, text));
    return this;
  }

  /**
   * Removes a field of an object, or an item of a list.
   *
   * ```js
   * const { decision } = open.remove("/evidence/artifacts/0").evaluate();
   * ```
   *
   * @param pointer A JSON Pointer to a value that exists.
   * @returns The open envelope.
   * @throws {AdjudicateError} as {@link OpenEnvelope.set} for the pointer; `invalid_value` for the empty pointer.
   */
  remove(pointer: string): this {
    const handle = envelopes.for(this, "remove");
    checkArguments(arguments, 1, "a JSON Pointer");
    const at = pointerOf(pointer);
    handle.run((raw) => raw.remove(at));
    return this;
  }

  /**
   * Returns the JSON text of the envelope, with all changes.
   *
   * ```js
   * await writeFile("envelope.json", open.text());
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` if it has been freed.
   */
  text(): string {
    const handle = envelopes.for(this, "text");
    checkArguments(arguments, 0, "none");
    return handle.run((raw) => raw.text());
  }

  /**
   * Evaluates the envelope as it is now.
   *
   * ```js
   * const { decision, findings } = open.evaluate();
   * ```
   *
   * @throws {AdjudicateError} as {@link Engine.evaluate}. The envelope keeps its values, and you can correct them.
   */
  evaluate(): Evaluation {
    const handle = envelopes.for(this, "evaluate");
    checkArguments(arguments, 0, "none; pass a policy to `engine.open`");
    return JSON.parse(handle.run((raw) => raw.evaluate())) as Evaluation;
  }

  /**
   * The same as {@link OpenEnvelope.evaluate}, as JSON text. The text is that of {@link Engine.evaluateText} for the changed envelope.
   *
   * ```js
   * preview.textContent = open.setText(pointer, value).evaluateText();
   * ```
   *
   * @throws {AdjudicateError} as {@link OpenEnvelope.evaluate}.
   */
  evaluateText(): string {
    const handle = envelopes.for(this, "evaluateText");
    checkArguments(arguments, 0, "none; pass a policy to `engine.openText`");
    return handle.run((raw) => raw.evaluate());
  }

  /**
   * Frees the envelope's memory. A second call does nothing; later calls of other methods throw `wrong_usage`.
   *
   * ```js
   * console.log(open.evaluate().decision.status);
   * open.free();
   * ```
   */
  free(): void {
    envelopes.free(this);
  }

  /**
   * Frees the envelope at the end of a block, as {@link OpenEnvelope.free} does.
   *
   * ```js
   * using open = engine.open(envelope);
   * console.log(open.evaluate().decision.status);
   * ```
   */
  [Symbol.dispose](): void {
    OpenEnvelope.prototype.free.call(this);
  }
}

type EngineEnvelope = InstanceType<Bindings["OpenEnvelope"]>;

/** The envelope in an engine. */
class OpenHandle {
  readonly #instance: Instance;
  /** The envelope, which is valid only with these bindings. Undefined once it is freed. */
  #open: Held<EngineEnvelope> | undefined;

  constructor(instance: Instance, input: Uint8Array, policy: PolicyHandle | undefined) {
    this.#instance = instance;
    this.#open = instance.run((bindings) => {
      const raw = new bindings.OpenEnvelope(input);
      if (policy !== undefined) raw.policy(policy.parsedFor(bindings));
      return { bindings, raw };
    });
  }

  /** Runs one call with the envelope. */
  run<Answer>(call: (raw: EngineEnvelope) => Answer): Answer {
    const open = this.#open;
    if (open === undefined) throw wrongUsage("the envelope has been freed");
    if (open.bindings !== this.#instance.bindings) {
      throw new AdjudicateError("trap", "the engine trapped, and the open envelope is lost: open it again");
    }
    return this.#instance.run(() => call(open.raw));
  }

  /** Frees the memory. A second call does nothing. */
  release(): void {
    const open = this.#open;
    this.#open = undefined;
    this.#instance.free(open);
  }
}

/** Opens an envelope under a policy, or without one. @internal */
export function opened<Document>(
  instance: Instance,
  encode: (document: Document, within?: string) => Uint8Array,
  envelope: Document,
  policy: Document | EvaluatePolicy | undefined,
): OpenEnvelope {
  const input = encode(envelope);
  return withPolicies(instance, encode, (take) => new OpenEnvelope(instance, input, policy === undefined ? undefined : take(policy)));
}

/** The handle of each `OpenEnvelope`. */
const envelopes = new Handles<OpenHandle>("envelope");

function pointerOf(pointer: unknown): string {
  if (typeof pointer !== "string") throw wrongUsage(`expected a JSON Pointer, found ${kindOf(pointer)}`);
  if (!isWellFormed(pointer)) throw wrongUsage("the JSON Pointer is not well-formed Unicode");
  return pointer;
}

/** The UTF-8 of a short value, until the engine has copied it. A buffer of its own would take longer than the change. */
const short = new Uint8Array(3 << 10);
const encoder = new TextEncoder();

function bytesOf(text: JsonText): Uint8Array {
  // A character of a string has at most three bytes.
  if (typeof text !== "string" || text.length > short.length / 3 || !isWellFormed(text)) return utf8(text);
  return short.subarray(0, encoder.encodeInto(text, short).written);
}

/** Makes the paths of errors of a value begin with the pointer to it. */
function below(pointer: string, encode: () => Uint8Array): Uint8Array {
  try {
    return encode();
  } catch (thrown) {
    if (!(thrown instanceof AdjudicateError) || thrown.code === "wrong_usage") throw thrown;
    throw new AdjudicateError(thrown.code, thrown.message, pointer + thrown.path, { cause: thrown });
  }
}

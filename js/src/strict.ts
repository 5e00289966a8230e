/**
 * Converts JavaScript values to JSON text without loss.
 *
 * The text is that of `JSON.stringify`. Values that `JSON.stringify` would silently change are errors:
 *
 * - `Map`, `Set` and other built-in objects without a JSON form (it writes `{}`);
 * - `NaN`, infinities, invalid dates, and `undefined` in lists (it writes `null`);
 * - functions, symbols, properties that are not enumerable, and named properties of lists (it leaves them out);
 * - ill-formed strings (it writes escapes of lone surrogates);
 * - `BigInt` and cycles (it throws, too).
 *
 * As in `JSON.stringify`, `toJSON` applies, `undefined` properties are left out, and own properties of class instances count. In contrast to
 * it, a `toJSON` of `Object.prototype` or `Array.prototype` is ignored. A hole in a list is an error, even if `Array.prototype` has such
 * an item.
 *
 * A getter or a proxy can return different values to a check and to a writer. So each property is read once, into a plain copy,
 * and the copy is checked and written.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import type { ErrorCode } from "./generated/types.js";
import { propertyOf, parsedWithoutPrototypes } from "./own.js";
import { MAX_DOCUMENT_BYTES, encoded, isWellFormed } from "./text.js";

/** The most nested containers that are copied. The engine allows 128. */
const DEPTH_LIMIT = 256;

/**
 * Writes a value as JSON text in UTF-8.
 *
 * @param within A prefix of error messages that names the document, for example `"policy: "`.
 * @throws {AdjudicateError} `invalid_value` at the property that has no JSON form or cannot be read, `limit_exceeded` if the value is larger
 * or deeper than the limits of the engine.
 */
export function jsonOf(value: unknown, within = ""): Uint8Array<ArrayBuffer> {
  return encoded(textOf(value, within), within);
}

/**
 * Copies a value to plain data whose objects inherit nothing.
 *
 * @throws {AdjudicateError} as `jsonOf`.
 */
export function copyOf(value: unknown, within: string): unknown {
  return parsedWithoutPrototypes(textOf(value, within));
}

/**
 * Writes a value as JSON text in a string.
 *
 * @throws {AdjudicateError} as `jsonOf`.
 */
export function textOf(value: unknown, within: string): string {
  if (isScalar(value)) return JSON.stringify(value);
  const snapshot = new Snapshot(within);
  try {
    const copy = snapshot.of(value);
    // No code of the caller runs from here on.
    return JSON.stringify(isPolluted("toJSON") ? withoutPrototypes(copy) : copy);
  } catch (thrown) {
    throw snapshot.errorOf(thrown);
  }
}

/** Returns whether a value needs neither a copy nor an error. */
function isScalar(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_DOCUMENT_BYTES && isWellFormed(value);
  return typeof value === "boolean" || Number.isFinite(value);
}

type Container = readonly unknown[] | Record<string, unknown>;

/** Copies one value. */
class Snapshot {
  readonly #within: string;
  /** The containers around the current value, outermost first. */
  readonly #open: object[] = [];
  /** The current key in each of these containers. Later items are keys of earlier values. */
  readonly #keys: (string | number)[] = [];
  /** The remaining bytes, a lower bound: the copied values may need more bytes than counted. */
  #remaining = MAX_DOCUMENT_BYTES;
  /** The error that this class threw, as opposed to errors of the caller's code. */
  #refused: AdjudicateError | undefined;

  constructor(within: string) {
    this.#within = within;
  }

  of(value: unknown): unknown {
    return this.#copyOf(this.#formOf(value, ""));
  }

  /** Returns the error for a thrown value that ended the copying. */
  errorOf(thrown: unknown): AdjudicateError {
    return this.#refused !== undefined && thrown === this.#refused ? this.#refused : this.#unreadable(thrown);
  }

  /** Returns the value, or the result of its `toJSON`. */
  #formOf(value: unknown, key: string | number): unknown {
    if (typeof value === "object" ? value === null : typeof value !== "bigint") return value;
    const toJSON = propertyOf(Object(value), "toJSON");
    if (typeof toJSON !== "function") return value;
    const form: unknown = toJSON.call(value, String(key));
    if (form === null && tagOf(value) === "Date") throw this.#refusal("an invalid date has no JSON form");
    return form;
  }

  #copyOf(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        this.#take(value.length + 2);
        if (!isWellFormed(value)) throw this.#refusal("a string is not well-formed Unicode");
        return value;
      case "number":
        this.#take(1);
        if (!Number.isFinite(value)) throw this.#refusal(`the number \`${value}\` has no JSON form`);
        return value;
      case "boolean":
        this.#take(4);
        return value;
      case "object":
        if (value !== null) return this.#copyOfContainer(value);
        this.#take(4);
        return value;
      default:
        throw this.#refusal(`a value of type \`${typeof value}\` has no JSON form`);
    }
  }

  #copyOfContainer(container: object): Container {
    this.#take(2);
    if (this.#open.includes(container)) throw this.#refusal("a value contains itself");
    if (this.#open.length >= DEPTH_LIMIT) throw this.#refusal("the value is nested too deep", "limit_exceeded");
    const copy = Array.isArray(container) ? this.#copyOfList(container) : this.#copyOfObject(container);
    this.#open.pop();
    if (hasMore(container, copy)) throw this.#hidden(container, copy);
    return copy;
  }

  #copyOfList(list: readonly unknown[]): Container {
    const { length } = list;
    const level = this.#open.push(list) - 1;
    const copy: unknown[] = [];
    for (let index = 0; index < length; index++) {
      this.#keys[level] = index;
      const item = Object.hasOwn(list, index) ? list[index] : undefined;
      copy.push(this.#copyOf(this.#formOf(item, index)));
    }
    return copy;
  }

  #copyOfObject(object: object): Container {
    const fault = faultOf(object);
    if (fault !== undefined) throw this.#refusal(fault);
    const level = this.#open.push(object) - 1;
    const copy = this.#propertiesOf(object, level);
    for (const key of Object.keys(copy)) {
      this.#keys[level] = key;
      if (!isWellFormed(key)) throw this.#refusal("a key is not well-formed Unicode");
      const property = copy[key];
      const form = this.#formOf(property, key);
      if (form !== undefined) this.#take(key.length + 3);
      // `JSON.stringify` leaves out an `undefined` property.
      const copied = form === undefined ? undefined : this.#copyOf(form);
      if (copied !== property) copy[key] = copied;
    }
    return copy;
  }

  /** Returns the properties of the current object, each read once. */
  #propertiesOf(object: object, level: number): Record<string, unknown> {
    try {
      return { ...object };
    } catch (thrown) {
      const key = unreadableKey(object);
      if (key === undefined) this.#open.pop();
      else this.#keys[level] = key;
      throw this.#unreadable(thrown);
    }
  }

  #take(bytes: number): void {
    this.#remaining -= bytes;
    if (this.#remaining >= 0) return;
    this.#open.length = 0;
    throw this.#refusal(`the document has over ${MAX_DOCUMENT_BYTES} bytes as JSON`, "limit_exceeded");
  }

  /** Returns the error for a container with a property that the text would not have. */
  #hidden(container: object, copy: Container): AdjudicateError {
    const key = Reflect.ownKeys(container).find((name) => typeof name === "symbol" || !Object.hasOwn(copy, name));
    // A JSON Pointer cannot name a symbol.
    if (typeof key !== "string") return this.#refusal("a property named by a symbol has no JSON form");
    this.#keys[this.#open.push(container) - 1] = key;
    const kind = Array.isArray(container) ? "not an item" : "not enumerable";
    return this.#refusal(`a property that is ${kind} has no JSON form`);
  }

  /** Returns the error for a value whose own code threw. */
  #unreadable(cause: unknown): AdjudicateError {
    return this.#refusal(`the value cannot be read: ${reasonOf(cause)}`, "invalid_value", { cause });
  }

  /** Returns an error about the current value. */
  #refusal(message: string, code: ErrorCode = "invalid_value", options?: ErrorOptions): AdjudicateError {
    const path = this.#open.map((_, level) => `/${escaped(String(this.#keys[level]))}`).join("");
    this.#refused = new AdjudicateError(code, this.#within + message, path, options);
    return this.#refused;
  }
}

/** Returns whether a name is polluted: whether objects or lists inherit a property of this name. */
function isPolluted(name: string): boolean {
  return name in Object.prototype || name in Array.prototype;
}

/** Takes the prototypes of plain data away, so that nothing in it inherits a property. */
function withoutPrototypes(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  Object.values(data).forEach(withoutPrototypes);
  return Object.setPrototypeOf(data, null);
}

/** Returns the reason why an object has no JSON form, apart from its properties. */
function faultOf(object: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return undefined;
  const tag = tagOf(object);
  return tag === "Object" ? undefined : `a \`${tag}\` has no JSON form of its own`;
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns true if a container has properties that its copy lacks. Properties of a list that are not enumerable do not count. */
function hasMore(container: object, copy: Container): boolean {
  const names = Array.isArray(copy) ? Object.keys(container) : Object.getOwnPropertyNames(container);
  const copied = Array.isArray(copy) ? copy.length : Object.keys(copy).length;
  return names.length !== copied || Object.getOwnPropertySymbols(container).length > 0;
}

/** Returns the first property that throws when it is read, if it throws again. */
function unreadableKey(object: object): string | undefined {
  let at: string | undefined;
  try {
    for (at of Object.keys(object)) Reflect.get(object, at);
  } catch {
    return at;
  }
  return undefined;
}

/** Escapes a key for a JSON Pointer. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

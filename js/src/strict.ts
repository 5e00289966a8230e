/**
 * From a JavaScript value to JSON text, with nothing dropped or bent on the way.
 *
 * `JSON.stringify` is the format. What it would silently change is refused instead: `Map`, `Set` and other built-in
 * objects without a JSON form (it writes `{}`), `NaN`, infinities and invalid dates (it writes `null`), functions,
 * symbols, members that are not enumerable and named members of lists (it leaves them out), `undefined` in lists (it
 * writes `null`), ill-formed strings (it writes escapes that are no text). `BigInt` and cycles, which it refuses
 * itself, are refused in the same words. As with `JSON.stringify`, `toJSON` is honoured, members that are `undefined`
 * are left out, and of an instance of a class its own members count. Unlike there, a `toJSON` of `Object.prototype` or
 * `Array.prototype` is ignored, and a hole in a list stays a hole where `Array.prototype` has an item of that number.
 *
 * A getter or a proxy may say one thing when it is checked and another when it is written. So each member is read once,
 * into a copy that is plain data without prototypes, and the copy is checked and written.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import type { ErrorCode } from "./generated/types.js";
import { memberOf, parsedBare } from "./own.js";
import { MAX_DOCUMENT_BYTES, encoded, isWellFormed } from "./text.js";

/** The engine allows 128 nested containers; past this the value is not even copied. */
const DEPTH_LIMIT = 256;

/**
 * Writes a value as JSON text in UTF-8.
 *
 * @param within What begins the message of an error: `"policy: "` where another value could be meant.
 * @throws {AdjudicateError} `invalid_value` at the member that has no JSON form or cannot be read, `limit_exceeded` for
 * what is larger or nested deeper than any engine would read.
 */
export function jsonOf(value: unknown, within = ""): Uint8Array<ArrayBuffer> {
  return encoded(textOf(value, within), within);
}

/**
 * A value as it is now, as plain data whose objects inherit nothing.
 *
 * @throws {AdjudicateError} As `jsonOf` does.
 */
export function copyOf(value: unknown, within: string): unknown {
  return parsedBare(textOf(value, within));
}

/**
 * The same as a string.
 *
 * @throws {AdjudicateError} As `jsonOf` does.
 */
export function textOf(value: unknown, within: string): string {
  const snapshot = new Snapshot(within);
  try {
    return JSON.stringify(snapshot.of(value));
  } catch (thrown) {
    throw snapshot.errorOf(thrown);
  }
}

type Container = readonly unknown[] | Record<string, unknown>;

/** The copying of one value. */
class Snapshot {
  readonly #within: string;
  /** The containers around the value at hand, outermost first. */
  readonly #open: object[] = [];
  /** The key in each of them that leads to it; past those, keys of earlier values. */
  readonly #keys: (string | number)[] = [];
  /** The bytes that are left, if all so far need no more than the least that they can. */
  #room = MAX_DOCUMENT_BYTES;
  /** What was refused here, as opposed to what code of the caller's throws. */
  #refused: AdjudicateError | undefined;

  constructor(within: string) {
    this.#within = within;
  }

  of(value: unknown): unknown {
    return this.#copyOf(this.#formOf(value, ""));
  }

  /** The error for whatever ended the copying. */
  errorOf(thrown: unknown): AdjudicateError {
    return this.#refused !== undefined && thrown === this.#refused ? this.#refused : this.#unreadable(thrown);
  }

  /** What stands for a value: the value, or what its `toJSON` says. */
  #formOf(value: unknown, key: string | number): unknown {
    if (typeof value === "object" ? value === null : typeof value !== "bigint") return value;
    const toJSON = memberOf(Object(value), "toJSON");
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
    // `JSON.stringify` must not find the `toJSON` of anybody else in it.
    return Object.setPrototypeOf(copy, null) as Container;
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
    const copy = this.#membersOf(object, level);
    for (const key of Object.keys(copy)) {
      this.#keys[level] = key;
      if (!isWellFormed(key)) throw this.#refusal("a key is not well-formed Unicode");
      const member = copy[key];
      const form = this.#formOf(member, key);
      if (form !== undefined) this.#take(key.length + 3);
      // `undefined` is not copied: when the copy is written, the member is left out.
      const copied = form === undefined ? undefined : this.#copyOf(form);
      if (copied !== member) copy[key] = copied;
    }
    return copy;
  }

  /** The members of an object that is open, each read once. */
  #membersOf(object: object, level: number): Record<string, unknown> {
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
    this.#room -= bytes;
    if (this.#room >= 0) return;
    this.#open.length = 0;
    throw this.#refusal(`the document has over ${MAX_DOCUMENT_BYTES} bytes as JSON`, "limit_exceeded");
  }

  /** The error for a container with a member that would be left out of the text. */
  #hidden(container: object, copy: Container): AdjudicateError {
    const key = Reflect.ownKeys(container).find((name) => typeof name === "symbol" || !Object.hasOwn(copy, name));
    // No pointer leads to a member that is not named by a string.
    if (typeof key !== "string") return this.#refusal("a member named by a symbol has no JSON form");
    this.#keys[this.#open.push(container) - 1] = key;
    const kind = Array.isArray(container) ? "not an item" : "not enumerable";
    return this.#refusal(`a member that is ${kind} has no JSON form`);
  }

  /** The error for a value whose own code threw something. */
  #unreadable(cause: unknown): AdjudicateError {
    return this.#refusal(`the value cannot be read: ${reasonOf(cause)}`, "invalid_value", { cause });
  }

  /** An error about the value at hand. */
  #refusal(message: string, code: ErrorCode = "invalid_value", options?: ErrorOptions): AdjudicateError {
    const path = this.#open.map((_, level) => `/${escaped(String(this.#keys[level]))}`).join("");
    this.#refused = new AdjudicateError(code, this.#within + message, path, options);
    return this.#refused;
  }
}

/** What keeps an object from having a JSON form of its own; members aside. */
function faultOf(object: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return undefined;
  const tag = tagOf(object);
  return tag === "Object" ? undefined : `a \`${tag}\` has no JSON form of its own`;
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a container has members that its copy has not. Those of a list that are not enumerable do not count. */
function hasMore(container: object, copy: Container): boolean {
  const names = Array.isArray(copy) ? Object.keys(container) : Object.getOwnPropertyNames(container);
  const copied = Array.isArray(copy) ? copy.length : Object.keys(copy).length;
  return names.length !== copied || Object.getOwnPropertySymbols(container).length > 0;
}

/** The first member that throws when it is read, if it throws again. */
function unreadableKey(object: object): string | undefined {
  let at: string | undefined;
  try {
    for (at of Object.keys(object)) Reflect.get(object, at);
  } catch {
    return at;
  }
  return undefined;
}

/** A key as a segment of a JSON Pointer. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

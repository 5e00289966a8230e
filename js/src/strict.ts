/**
 * From a JavaScript value to JSON text, with nothing dropped or bent on the way.
 *
 * `JSON.stringify` is the format. What it would silently change is refused instead: `Map`, `Set` and other built-in
 * objects without a JSON form (it writes `{}`), `NaN` and infinities (it writes `null`), functions and symbols (it
 * leaves them out), `undefined` in lists (it writes `null`), ill-formed strings (it writes escapes that are no text).
 * `BigInt` and cycles, which it refuses itself, are refused in the same words. As with `JSON.stringify`, `toJSON` is
 * honoured, members that are `undefined` are left out, and of an instance of a class its own members count.
 */
import { AdjudicateError } from "./error.js";

/** The engine allows 128 nested containers; past this the value is not even written. */
const DEPTH_LIMIT = 256;

/**
 * Writes a value as JSON text.
 *
 * @throws {AdjudicateError} `invalid_value` at the member that has no JSON form, `limit_exceeded` for nesting that no
 * engine would read.
 */
export function stringify(value: unknown): string {
  // Almost every value is plain, and a native `JSON.stringify` of it needs no supervision.
  return isPlain(value, 0) ? JSON.stringify(value) : supervised(value);
}

/** Whether a value surely has one JSON form; when in doubt, it is not plain. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
      return isWellFormed(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    case "object":
      return value === null || (depth < DEPTH_LIMIT && isPlainContainer(value, depth));
    default:
      return false;
  }
}

function isPlainContainer(value: object, depth: number): boolean {
  if ("toJSON" in value) return false;
  if (Array.isArray(value)) {
    // By index, so that a hole is seen as the `undefined` it would be written for.
    for (let index = 0; index < value.length; index++) {
      if (!isPlain(value[index], depth + 1)) return false;
    }
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (!isWellFormed(key) || !(member === undefined || isPlain(member, depth + 1))) return false;
  }
  return true;
}

/** Writes a value that is not plain: each member is looked at in the very form in which it is written. */
function supervised(value: unknown): string {
  const ancestors: { holder: object; path: string }[] = [];

  function look(this: object, key: string, member: unknown): unknown {
    while (ancestors.length > 0 && ancestors.at(-1)?.holder !== this) ancestors.pop();
    const parent = ancestors.at(-1);
    const path = parent === undefined ? "" : `${parent.path}/${escaped(key)}`;
    if (!isWellFormed(key)) throw refusal("a key is not well-formed Unicode", path);
    if (member === undefined && parent !== undefined && !Array.isArray(this)) return member;
    const fault = faultOf(member);
    if (fault !== undefined) throw refusal(fault, path);
    if (typeof member === "object" && member !== null) {
      if (ancestors.some(({ holder }) => holder === member)) throw refusal("a value contains itself", path);
      if (ancestors.length >= DEPTH_LIMIT) {
        throw new AdjudicateError("limit_exceeded", "the value is nested too deep", path);
      }
      ancestors.push({ holder: member, path });
    }
    return member;
  }

  return JSON.stringify(value, look);
}

/** What keeps a value, `toJSON` applied, from having a JSON form of its own; members aside. */
function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return isWellFormed(value) ? undefined : "a string is not well-formed Unicode";
    case "number":
      return Number.isFinite(value) ? undefined : `the number \`${value}\` has no JSON form`;
    case "boolean":
      return undefined;
    case "object":
      return value === null || Array.isArray(value) ? undefined : faultOfObject(value);
    default:
      return `a value of type \`${typeof value}\` has no JSON form`;
  }
}

function faultOfObject(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return tag === "Object" ? undefined : `a \`${tag}\` has no JSON form of its own`;
}

/** Whether a string is Unicode text; engines from before 2023 are asked in another way. */
export function isWellFormed(text: string): boolean {
  const native = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return native === undefined ? !/\p{Surrogate}/u.test(text) : native.call(text);
}

/** A key as a segment of a JSON Pointer. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function refusal(message: string, path: string): AdjudicateError {
  return new AdjudicateError("invalid_value", message, path);
}

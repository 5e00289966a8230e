/**
 * Checks calls of the package's functions, and writes their errors.
 *
 * JavaScript ignores surplus arguments. One of them may be a policy that you expect to apply, so they are an error here.
 */
import { AdjudicateError, reasonOf } from "./error.js";

/** Returns the error for a call that is not of the documented form. */
export function wrongUsage(message: string, cause?: unknown): AdjudicateError {
  return new AdjudicateError("wrong_usage", message, "", cause === undefined ? undefined : { cause });
}

/** Reads values of the caller. An error of a getter or a proxy becomes `wrong_usage`; `what` names the values. */
export function readable<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    throw wrongUsage(`${what} cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

/** Throws if a function gets more arguments than `taken`. `form` names the arguments that it takes. */
export function checkArguments(given: ArrayLike<unknown>, taken: number, form: string): void {
  for (let index = taken; index < given.length; index++) {
    if (given[index] !== undefined) throw wrongUsage(`too many arguments: expected ${form}`);
  }
}

/** Throws if a function without parameters gets an argument. */
export function checkNoArguments(given: ArrayLike<unknown>): void {
  checkArguments(given, 0, "none; pass a policy to `engine.evaluate` or `engine.policy`");
}

/** Returns the error of a method that was detached from its object, or called on another one. */
export function detached(owner: "engine" | "envelope" | "module" | "policy", method: string): AdjudicateError {
  return wrongUsage(`\`${method}\` was not called on ${article(owner)}: write \`${owner}.${method}(...)\``);
}

/** Returns whether a value is a plain object, of this realm or another. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the kind of a value, as the engine's messages name it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return article(typeof value);
  try {
    if (Array.isArray(value)) return "a list";
    return isPlain(value) ? "an object" : "an object of a class";
  } catch {
    return "an object that cannot be read";
  }
}

/** Returns a value of the caller for a message: a text in quotation marks, or the kind of another value. */
export function shown(value: unknown): string {
  return typeof value === "string" ? `\`${shortened(value)}\`` : kindOf(value);
}

/** Shortens a name of the caller for a message. */
export function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}...` : name;
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

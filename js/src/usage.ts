/**
 * How the package's functions are called: on what, and with how much.
 *
 * Owns the words for calls of the wrong form. JavaScript drops surplus arguments without a word; here they may be a
 * policy that someone believes in, so they are refused.
 */
import { AdjudicateError } from "./error.js";

/** A call that is not of the documented form. */
export function wrongUsage(message: string, cause?: unknown): AdjudicateError {
  return new AdjudicateError("wrong_usage", message, "", cause === undefined ? undefined : { cause });
}

/** Refuses arguments beyond those that a function takes; `form` says how it is called. */
export function refuseMore(given: ArrayLike<unknown>, taken: number, form: string): void {
  for (let index = taken; index < given.length; index++) {
    if (given[index] !== undefined) throw wrongUsage(`too many arguments: ${form}`);
  }
}

/** Refuses whatever is given to a function that creates an engine from nothing. */
export function refuseAll(given: ArrayLike<unknown>, name: string): void {
  refuseMore(given, 0, `\`${name}()\` takes none; a policy is given to \`engine.evaluate\` or \`engine.policy\``);
}

/** The error of a method that was taken off its object, or called on another. */
export function detached(owner: "engine" | "policy" | "module", method: string): AdjudicateError {
  return wrongUsage(`\`${method}\` was not called on ${article(owner)}: write \`${owner}.${method}(...)\``);
}

/** Whether a value is an object of no class, of this realm or of another. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a value is, in the words of the engine's own messages. */
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

/** A name of the caller's, as a message has it. */
export function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}...` : name;
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

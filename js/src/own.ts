/**
 * Reading objects of the caller's: what an object has itself, or by its class, and nothing that every object has.
 *
 * A member of `Object.prototype` would else stand for each option, and each member of a document, that somebody left out.
 */

/**
 * A copy of the members that an object has itself, each read once. The copy inherits nothing, so a name that is not in it gives
 * `undefined`. Copies of what is no object are empty.
 */
export function own<Given extends object>(given: Given | null | undefined): { [Name in keyof Given]?: Given[Name] } {
  const copy: Record<PropertyKey, unknown> = Object.create(null);
  if (isObject(given)) for (const key of Reflect.ownKeys(given)) copy[key] = Reflect.get(given, key);
  return copy as { [Name in keyof Given]?: Given[Name] };
}

/** The same copy; an empty one of what cannot be read. */
export function ownIfReadable<Given extends object>(given: Given | null | undefined): { [Name in keyof Given]?: Given[Name] } {
  try {
    return own(given);
  } catch {
    return own<Given>(undefined);
  }
}

/** A member that an object has itself or by its class: `Object.prototype` and `Array.prototype` are the classes of none. */
export function memberOf(given: unknown, name: PropertyKey): unknown {
  if (!isObject(given)) return undefined;
  for (let at: object | null = given; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (at !== given && isCommon(at)) return undefined;
    if (Object.hasOwn(at, name)) return Reflect.get(given, name);
  }
  return undefined;
}

/** Parses JSON text to data whose objects inherit nothing. */
export function parsedBare(text: string): unknown {
  const bare = (_: string, value: unknown) => (isObject(value) && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value);
  return JSON.parse(text, bare);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Whether it is the prototype of all objects, or of all lists, of this realm or of another. */
function isCommon(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null || Array.isArray(prototype);
}

/**
 * Reads objects of the caller without the properties of `Object.prototype` and `Array.prototype`.
 *
 * If code pollutes these prototypes, an absent option or field would otherwise get a value.
 */

/** The fields of an object of unknown form. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a copy of an object's own properties, each read once. The copy inherits nothing. The copy of a value that is not an object is
 * empty.
 */
export function own<Given extends object>(given: Given | null | undefined): { [Name in keyof Given]?: Given[Name] } {
  const copy: Record<PropertyKey, unknown> = Object.create(null);
  if (isObject(given)) for (const key of Reflect.ownKeys(given)) copy[key] = Reflect.get(given, key);
  return copy as { [Name in keyof Given]?: Given[Name] };
}

/** As `own`, but returns an empty copy if reading a property throws. */
export function ownIfReadable<Given extends object>(given: Given | null | undefined): { [Name in keyof Given]?: Given[Name] } {
  try {
    return own(given);
  } catch {
    return own<Given>(undefined);
  }
}

/** Returns a property of an object or of its class, but none of `Object.prototype` and `Array.prototype`. */
export function propertyOf(given: unknown, name: PropertyKey): unknown {
  if (!isObject(given)) return undefined;
  for (let at: object | null = given; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (at !== given && isCommon(at)) return undefined;
    if (Object.hasOwn(at, name)) return Reflect.get(given, name);
  }
  return undefined;
}

/** Parses JSON text to data whose objects inherit nothing. */
export function parsedWithoutPrototypes(text: string): unknown {
  const bare = (_: string, value: unknown) => (isObject(value) && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value);
  return JSON.parse(text, bare);
}

/** Returns a key for several strings. The `toJSON` of a polluted prototype cannot change it, because strings alone are written. */
export function keyOf(...parts: readonly string[]): string {
  return parts.map((part) => JSON.stringify(part)).join();
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Returns whether an object is `Object.prototype` or `Array.prototype`, of this realm or another. */
function isCommon(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null || Array.isArray(prototype);
}

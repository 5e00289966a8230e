/**
 * The stub for the worker URL in Parcel builds (`alias` in package.json). Parcel finds worker files by an inline import map. If a content
 * security policy forbids the map, the package would not load at all.
 */

/** Throws, so that the worker is made from the text of its script. */
export function createWorker(): Worker {
  throw new Error("this bundle has no worker script");
}

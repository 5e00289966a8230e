/** Changes a JSON text token by token. Other tokens stay unchanged, for example the spelling of numbers. */
import { segmentsOf, type Change, type Json } from "../json.js";
import { laidOut, partsOf, type Part } from "./format.js";

/**
 * Applies changes to a text, in their order.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {Error} if a path has no target.
 */
export function patched(text: string, changes: readonly Change[]): string {
  // The document is the only item of a list, so that a change can also replace the whole document.
  const root: Part = { open: "[", close: "]", parts: [["", partsOf(text)]] };
  for (const change of changes) patch(root, change);
  return laidOut(root.parts[0]?.[1] ?? "null");
}

/** Returns a copy of a value with changes, in their order. */
export function changed(value: Json, changes: readonly Change[]): Json {
  return JSON.parse(patched(JSON.stringify(value), changes)) as Json;
}

function patch(root: Part, { op, path, value }: Change): void {
  if (op === "remove" && path === "") throw noTarget(path);
  const segments = ["0", ...segmentsOf(path)];
  const last = segments.pop() ?? "";
  let parent: Part = root;
  for (const segment of segments) {
    const child = childOf(parent, segment);
    if (child === undefined) throw noTarget(path);
    parent = child;
  }
  if (typeof parent === "string") throw noTarget(path);
  const { parts } = parent;
  const at = indexOf(parent, last);
  const isThere = at < parts.length;
  if (!isThere && !(op === "add" && at === parts.length)) throw noTarget(path);
  if (op === "remove") parts.splice(at, 1);
  else if (op === "add" && parent.open === "[") parts.splice(at, 0, ["", valueOf(value, path)]);
  else parts.splice(at, isThere ? 1 : 0, [parent.open === "[" ? "" : JSON.stringify(last), valueOf(value, path)]);
}

function valueOf(value: unknown, path: string): Part {
  if (value === undefined) throw new Error(`the change of \`${path}\` has no value`);
  return partsOf(JSON.stringify(value));
}

/** Returns the index of a segment in its container, or the number of parts if it is absent. */
function indexOf(container: Exclude<Part, string>, segment: string): number {
  if (container.open === "[") {
    if (segment === "-") return container.parts.length;
    return /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : Number.POSITIVE_INFINITY;
  }
  const at = container.parts.findIndex(([name]) => JSON.parse(name) === segment);
  return at === -1 ? container.parts.length : at;
}

function childOf(container: Part, segment: string): Part | undefined {
  return typeof container === "string" ? undefined : container.parts[indexOf(container, segment)]?.[1];
}

function noTarget(path: string): Error {
  return new Error(`\`${path}\` has no target`);
}

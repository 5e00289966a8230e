/** Changes to a JSON text, token by token: what is not changed stays as it was written, numbers above all. */
import { segmentsOf, type Change, type Json } from "../json.js";
import { laidOut, partsOf, type Part } from "./format.js";

/**
 * A text with changes made to it, in their order.
 *
 * @throws {SyntaxError} for a text that is no JSON.
 * @throws {Error} for a path that leads to nothing.
 */
export function patched(text: string, changes: readonly Change[]): string {
  // A document is the only item of a list of its own, so that it can be replaced, too.
  const root: Part = { open: "[", close: "]", parts: [["", partsOf(text)]] };
  for (const change of changes) patch(root, change);
  return laidOut(root.parts[0]?.[1] ?? "null");
}

/** A copy of a value with changes made to it, in their order. */
export function changed(value: Json, changes: readonly Change[]): Json {
  return JSON.parse(patched(JSON.stringify(value), changes)) as Json;
}

function patch(root: Part, { op, path, value }: Change): void {
  if (op === "remove" && path === "") throw leadsNowhere(path);
  const segments = ["0", ...segmentsOf(path)];
  const last = segments.pop() ?? "";
  let parent: Part = root;
  for (const segment of segments) {
    const child = childOf(parent, segment);
    if (child === undefined) throw leadsNowhere(path);
    parent = child;
  }
  if (typeof parent === "string") throw leadsNowhere(path);
  const { parts } = parent;
  const at = placeOf(parent, last);
  const isThere = at < parts.length;
  if (!isThere && !(op === "add" && at === parts.length)) throw leadsNowhere(path);
  if (op === "remove") parts.splice(at, 1);
  else if (op === "add" && parent.open === "[") parts.splice(at, 0, ["", valueOf(value, path)]);
  else parts.splice(at, isThere ? 1 : 0, [parent.open === "[" ? "" : JSON.stringify(last), valueOf(value, path)]);
}

function valueOf(value: unknown, path: string): Part {
  if (value === undefined) throw new Error(`the change of \`${path}\` has no value`);
  return partsOf(JSON.stringify(value));
}

/** Where a segment leads in its container; behind the end for what is not there. */
function placeOf(container: Exclude<Part, string>, segment: string): number {
  if (container.open === "[") {
    if (segment === "-") return container.parts.length;
    return /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : Number.POSITIVE_INFINITY;
  }
  const at = container.parts.findIndex(([name]) => JSON.parse(name) === segment);
  return at === -1 ? container.parts.length : at;
}

function childOf(container: Part, segment: string): Part | undefined {
  return typeof container === "string" ? undefined : container.parts[placeOf(container, segment)]?.[1];
}

function leadsNowhere(path: string): Error {
  return new Error(`\`${path}\` leads to nothing`);
}

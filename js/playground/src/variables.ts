/** The variables that an envelope has for conditions: `input` and what is in it. */
import type { Term } from "./editor/shape.js";

/** More would be no help. */
const MAX = 300;

/** The paths of an envelope's members, as conditions name them. */
export function variablesOf(envelope: string): Term[] {
  let root: unknown;
  try {
    root = JSON.parse(envelope);
  } catch {
    return [];
  }
  const terms: Term[] = [];
  const open: (readonly [path: string, value: unknown])[] = [["input", root]];
  for (const [path, value] of open) {
    if (terms.length >= MAX) break;
    terms.push({ name: path, form: kindOf(value), about: "" });
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    // A path has no way to write a dot that is part of a name.
    for (const [name, member] of Object.entries(value)) if (!name.includes(".")) open.push([`${path}.${name}`, member]);
  }
  return terms;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Where in a text the parts of a JSON document are, also of one that is not finished. */
import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@lezer/json";

import { segmentsOf } from "../json.js";

/** A part of a text, as offsets. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** What a place is asked for by: a JSON Pointer, and what the error says, which may name the place itself. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly path: string;
}

/** Codes of errors about a member's name rather than its value. */
const ABOUT_NAMES: readonly string[] = ["unknown_field", "duplicate_key"];

/** The texts that were parsed last: many pointers are looked up in one text. */
const parsed = new Map<string, Tree>();

function treeOf(text: string): Tree {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const tree = parser.parse(text);
  const [oldest] = parsed.keys();
  if (parsed.size >= 4 && oldest !== undefined) parsed.delete(oldest);
  parsed.set(text, tree);
  return tree;
}

/** The place of an error: the one that its message ends with, or that its path leads to. */
export function placeOfFault(text: string, fault: Fault, tree: Tree = treeOf(text)): Place {
  const said = /, line (\d+) column (\d+)$/.exec(fault.message);
  if (said !== null) return characterAt(text, Number(said[1]), Number(said[2]));
  return briefPlaceOf(text, fault.path, ABOUT_NAMES.includes(fault.code), tree);
}

/** The place of a pointer for a mark: of what takes more than a line only its name, or its first line. */
export function briefPlaceOf(text: string, pointer: string, ofName = false, tree: Tree = treeOf(text)): Place {
  const isLong = ({ from, to }: Place) => text.slice(from, to).includes("\n");
  const whole = placeOf(text, pointer, ofName, tree);
  const place = isLong(whole) ? placeOf(text, pointer, true, tree) : whole;
  return isLong(place) ? { from: place.from, to: text.indexOf("\n", place.from) } : place;
}

/**
 * The place that a pointer leads to, or else the nearest thing that it would be in.
 *
 * @param ofName Whether the name of a member is asked for, instead of its value.
 */
export function placeOf(text: string, pointer: string, ofName = false, tree: Tree = treeOf(text)): Place {
  let node = tree.topNode.firstChild;
  let property: SyntaxNode | null = null;
  let isThere = true;
  for (const segment of segmentsOf(pointer)) {
    const found: Step | undefined = node === null ? undefined : step(text, node, segment);
    if (found === undefined) {
      isThere = false;
      break;
    }
    ({ node, property } = found);
  }
  const name = property?.getChild("PropertyName") ?? null;
  // Of what is missing the name of its container is shown: the container may fill the screen.
  const chosen = isThere && !ofName ? (node ?? name) : (name ?? node);
  if (chosen === null) return { from: 0, to: Math.min(1, text.length) };
  return isThere || name !== null
    ? { from: chosen.from, to: chosen.to }
    : { from: chosen.from, to: Math.min(chosen.from + 1, chosen.to) };
}

/** What a segment leads to. */
interface Step {
  readonly node: SyntaxNode | null;
  readonly property: SyntaxNode | null;
}

function step(text: string, node: SyntaxNode, segment: string): Step | undefined {
  if (node.name === "Object") {
    // The latest of that name: it is the one that is there twice.
    const property = node.getChildren("Property").findLast((candidate) => nameOf(text, candidate) === segment);
    return property === undefined ? undefined : { node: valueOf(property), property };
  }
  if (node.name !== "Array" || !/^\d+$/.test(segment)) return undefined;
  const item = itemsOf(node)[Number(segment)];
  return item === undefined ? undefined : { node: item, property: null };
}

/** The name of a member, as it is meant. */
export function nameOf(text: string, property: SyntaxNode): string | undefined {
  const name = property.getChild("PropertyName");
  return name === null ? undefined : stringOf(text.slice(name.from, name.to));
}

/** The value of a member, where there is one. */
export function valueOf(property: SyntaxNode): SyntaxNode | null {
  const value = property.lastChild;
  return value === null || value.name === "PropertyName" || value.type.isError ? null : value;
}

/** The items of a list. */
export function itemsOf(list: SyntaxNode): SyntaxNode[] {
  const items: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name)) items.push(child);
  }
  return items;
}

/** What a string in a text stands for, if it is one. */
export function stringOf(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** The character at a line and a column, both from 1; columns are counted in characters, not in units of UTF-16. */
function characterAt(text: string, line: number, column: number): Place {
  let start = 0;
  for (let ahead = line - 1; ahead > 0; ahead -= 1) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    start = end + 1;
  }
  let from = start;
  for (let ahead = column - 1; ahead > 0 && from < text.length; ahead -= 1) from += widthAt(text, from);
  if (from < text.length) return { from, to: from + widthAt(text, from) };
  // The text ended too soon: its last character that shows is marked.
  const last = text.trimEnd().length;
  return { from: Math.max(0, last - 1), to: last };
}

function widthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

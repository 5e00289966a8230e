/** Finds the ranges of values in a JSON text, also in an unfinished one. */
import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@lezer/json";

import { segmentsOf } from "../json.js";

/** A part of a text, as offsets. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** An error with its JSON Pointer; its message can name a line and a column. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly path: string;
  /** The further errors of the call. */
  readonly others?: readonly Fault[];
}

/** Codes of errors about the name of a field, not its value. */
const ABOUT_NAMES: readonly string[] = ["unknown_field", "duplicate_key"];

/** The trees of the latest texts, because the page looks up many pointers in one text. */
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

/** Returns the range of an error: the position at the end of its message, or the target of its path. */
export function rangeOfFault(text: string, fault: Fault, tree: Tree = treeOf(text)): TextRange {
  const position = /, line (\d+) column (\d+)$/.exec(fault.message);
  if (position !== null) return characterAt(text, Number(position[1]), Number(position[2]));
  return shortRangeOf(text, fault.path, ABOUT_NAMES.includes(fault.code), tree);
}

/** Returns a range of one line for a pointer's target. For a value of several lines, it is the field's name or the first line. */
export function shortRangeOf(text: string, pointer: string, ofName = false, tree: Tree = treeOf(text)): TextRange {
  const isLong = ({ from, to }: TextRange) => text.slice(from, to).includes("\n");
  const whole = rangeOf(text, pointer, ofName, tree);
  const range = isLong(whole) ? rangeOf(text, pointer, true, tree) : whole;
  return isLong(range) ? { from: range.from, to: text.indexOf("\n", range.from) } : range;
}

/**
 * Returns the range of a pointer's target, or of the innermost present value on its path.
 *
 * @param ofName If true, returns the range of the field's name instead of its value.
 */
export function rangeOf(text: string, pointer: string, ofName = false, tree: Tree = treeOf(text)): TextRange {
  let node = tree.topNode.firstChild;
  let property: SyntaxNode | null = null;
  let isThere = true;
  for (const segment of segmentsOf(pointer)) {
    const found: ChildNode | undefined = node === null ? undefined : childOf(text, node, segment);
    if (found === undefined) {
      isThere = false;
      break;
    }
    ({ node, property } = found);
  }
  const name = property?.getChild("PropertyName") ?? null;
  // An absent value is shown at the name of its container, because the container may be longer than the screen.
  const chosen = isThere && !ofName ? (node ?? name) : (name ?? node);
  if (chosen === null) return { from: 0, to: Math.min(1, text.length) };
  return isThere || name !== null
    ? { from: chosen.from, to: chosen.to }
    : { from: chosen.from, to: Math.min(chosen.from + 1, chosen.to) };
}

/** The value and the property at one segment of a pointer. */
interface ChildNode {
  readonly node: SyntaxNode | null;
  readonly property: SyntaxNode | null;
}

function childOf(text: string, node: SyntaxNode, segment: string): ChildNode | undefined {
  if (node.name === "Object") {
    // The engine reports a repeated field at its last occurrence.
    const property = node.getChildren("Property").findLast((candidate) => nameOf(text, candidate) === segment);
    return property === undefined ? undefined : { node: valueOf(property), property };
  }
  if (node.name !== "Array" || !/^\d+$/.test(segment)) return undefined;
  const item = itemsOf(node)[Number(segment)];
  return item === undefined ? undefined : { node: item, property: null };
}

/** Returns the decoded name of a field. */
export function nameOf(text: string, property: SyntaxNode): string | undefined {
  const name = property.getChild("PropertyName");
  return name === null ? undefined : stringOf(text.slice(name.from, name.to));
}

/** Returns the value of a field, or null if it is missing. */
export function valueOf(property: SyntaxNode): SyntaxNode | null {
  const value = property.lastChild;
  return value === null || value.name === "PropertyName" || value.type.isError ? null : value;
}

/** Returns the items of a list. */
export function itemsOf(list: SyntaxNode): SyntaxNode[] {
  const items: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name)) items.push(child);
  }
  return items;
}

/** Returns the value of a JSON string, if it is one. */
export function stringOf(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Returns the range of the character at a line and a column, both from 1. Columns count characters, not UTF-16 units. */
function characterAt(text: string, line: number, column: number): TextRange {
  let start = 0;
  for (let ahead = line - 1; ahead > 0; ahead -= 1) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    start = end + 1;
  }
  let from = start;
  for (let ahead = column - 1; ahead > 0 && from < text.length; ahead -= 1) from += widthAt(text, from);
  if (from < text.length) return { from, to: from + widthAt(text, from) };
  // After the end of the text, the last visible character is marked.
  const last = text.trimEnd().length;
  return { from: Math.max(0, last - 1), to: last };
}

function widthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

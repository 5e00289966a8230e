/** The part of a JSON text at a position: a name, a value, or neither. */
import type { SyntaxNode, Tree } from "@lezer/common";

import { itemsOf } from "./nodes.js";

/** The name of a field, complete or unfinished. */
export interface AtName {
  readonly kind: "name";
  readonly object: SyntaxNode;
  /** The range of the name so far, quotes included. */
  readonly from: number;
  readonly to: number;
}

/** A value, complete or unfinished. */
export interface AtValue {
  readonly kind: "value";
  /** The field or the list that contains it. */
  readonly holder: SyntaxNode;
  /** The index in the list; -1 for the value of a field. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

const SCALARS: readonly string[] = ["String", "Number", "True", "False", "Null"];

/** Returns the name or the value at an offset. */
export function positionAt(tree: Tree, text: string, offset: number): AtName | AtValue | undefined {
  const inside = tree.resolveInner(offset, -1);
  if (inside.name === "PropertyName" && offset > inside.from) {
    const object = inside.parent?.parent;
    return object ? { kind: "name", object, from: inside.from, to: inside.to } : undefined;
  }
  if (SCALARS.includes(inside.name) && offset > inside.from) return valueAt(inside, inside.from, inside.to);
  // The text before the offset is an unfinished word, or empty.
  const word = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0] ?? "";
  const from = offset - word.length;
  const before = text.slice(0, from).trimEnd();
  const around = containerAt(tree, from);
  if (around === undefined) return undefined;
  if (before.endsWith(":")) {
    const property = propertyBefore(around, from);
    return property && { kind: "value", holder: property, index: -1, from, to: offset };
  }
  if (around.name === "Array" && /[[,]$/.test(before)) return valueIn(around, from, offset);
  if (around.name === "Object" && /[{,]$/.test(before)) return { kind: "name", object: around, from, to: offset };
  return undefined;
}

function valueAt(node: SyntaxNode, from: number, to: number): AtValue | undefined {
  const holder = node.parent;
  if (holder?.name === "Array") return valueIn(holder, from, to);
  return holder?.name === "Property" ? { kind: "value", holder, index: -1, from, to } : undefined;
}

function valueIn(list: SyntaxNode, from: number, to: number): AtValue {
  return { kind: "value", holder: list, index: itemsOf(list).filter((item) => item.to <= from).length, from, to };
}

/** Returns the innermost list or object around an offset. */
function containerAt(tree: Tree, offset: number): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = tree.resolveInner(offset, -1); node !== null; node = node.parent) {
    const isContainer = node.name === "Object" || node.name === "Array";
    const isOpen = offset < node.to || node.lastChild?.name !== (node.name === "Object" ? "}" : "]");
    if (isContainer && offset > node.from && isOpen) return node;
  }
  return undefined;
}

/** Returns the last field that begins before an offset. */
function propertyBefore(container: SyntaxNode, offset: number): SyntaxNode | undefined {
  return container.name === "Object" ? container.getChildren("Property").findLast(({ from }) => from < offset) : undefined;
}

/** What is written at a position of a JSON text: a name, a value, or neither. */
import type { SyntaxNode, Tree } from "@lezer/common";

import { itemsOf } from "./place.js";

/** The name of a member, to be written or being written. */
export interface AtName {
  readonly kind: "name";
  readonly object: SyntaxNode;
  /** What is there of it, quotes included. */
  readonly from: number;
  readonly to: number;
}

/** A value. */
export interface AtValue {
  readonly kind: "value";
  /** The member or the list that it is in. */
  readonly holder: SyntaxNode;
  /** Which item of the list; -1 for a member. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

const SCALARS: readonly string[] = ["String", "Number", "True", "False", "Null"];

/** What is at an offset. */
export function positionAt(tree: Tree, text: string, offset: number): AtName | AtValue | undefined {
  const inside = tree.resolveInner(offset, -1);
  if (inside.name === "PropertyName" && offset > inside.from) {
    const object = inside.parent?.parent;
    return object ? { kind: "name", object, from: inside.from, to: inside.to } : undefined;
  }
  if (SCALARS.includes(inside.name) && offset > inside.from) return valueAt(inside, inside.from, inside.to);
  // A word that is no JSON yet, or nothing.
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

/** The innermost list or object around an offset. */
function containerAt(tree: Tree, offset: number): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = tree.resolveInner(offset, -1); node !== null; node = node.parent) {
    const isContainer = node.name === "Object" || node.name === "Array";
    const isOpen = offset < node.to || node.lastChild?.name !== (node.name === "Object" ? "}" : "]");
    if (isContainer && offset > node.from && isOpen) return node;
  }
  return undefined;
}

/** The member that was begun last before an offset. */
function propertyBefore(container: SyntaxNode, offset: number): SyntaxNode | undefined {
  return container.name === "Object" ? container.getChildren("Property").findLast(({ from }) => from < offset) : undefined;
}

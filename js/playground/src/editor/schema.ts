/** Which shapes a place of a document may have. */
import type { SyntaxNode } from "@lezer/common";

import { itemsOf, nameOf, stringOf, valueOf } from "./place.js";
import type { Language, Shape } from "./shape.js";

/** A shape with names looked up and alternatives told apart. */
export type Plain = Exclude<Shape, { is: "type" | "either" }>;

/** The shapes that a value in a document may have; `node` is the value, or what is in its place. */
export function shapesAt(language: Language, root: string, text: string, node: SyntaxNode): Plain[] {
  const way = wayTo(text, node);
  let shapes: Plain[] = plain(language, { is: "type", name: root });
  for (const { container, segment } of way) {
    shapes = fitting(language, text, shapes, container).flatMap((shape) => below(language, shape, segment));
  }
  return shapes;
}

/** The members of that name, or the items, of a shape. */
export function below(language: Language, shape: Plain, segment: string | number): Plain[] {
  if (shape.is === "expression") return [shape];
  if (shape.is === "list") return typeof segment === "number" ? plain(language, shape.of) : [];
  if (shape.is !== "object" || typeof segment === "number") return [];
  const member = Object.hasOwn(shape.members, segment) ? shape.members[segment]?.shape : shape.others;
  return member === undefined ? [] : plain(language, member);
}

/** Those of the shapes that an object may still have, by the words that it holds already: a `kind` tells what it is. */
export function fitting(language: Language, text: string, shapes: readonly Plain[], container: SyntaxNode): Plain[] {
  if (container.name !== "Object" || shapes.length < 2) return [...shapes];
  const words = wordsOf(text, container);
  const left = shapes.filter((shape) => {
    if (shape.is !== "object") return true;
    return [...words].every(([name, word]) => {
      const member = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      const allowed = member === undefined ? [] : plain(language, member.shape);
      return (
        !allowed.some(({ is }) => is === "word") || allowed.some((other) => other.is !== "word" || other.words.includes(word))
      );
    });
  });
  return left.length > 0 ? left : [...shapes];
}

/** Looks names up and takes alternatives apart. */
export function plain(language: Language, shape: Shape, depth = 0): Plain[] {
  // A type that stands for itself alone would have no end.
  if (depth > 16) return [];
  if (shape.is === "either") return shape.any.flatMap((other) => plain(language, other, depth + 1));
  if (shape.is !== "type") return [shape];
  const named = Object.hasOwn(language.types, shape.name) ? language.types[shape.name] : undefined;
  return named === undefined ? [] : plain(language, named, depth + 1);
}

interface Leg {
  readonly container: SyntaxNode;
  readonly segment: string | number;
}

/** From the document to a value. */
function wayTo(text: string, node: SyntaxNode): Leg[] {
  const way: Leg[] = [];
  let inner = node;
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.name === "Array")
      way.unshift({ container: outer, segment: itemsOf(outer).filter((item) => item.to <= inner.from).length });
    if (outer.name === "Property" && outer.parent !== null && inner.name !== "PropertyName") {
      way.unshift({ container: outer.parent, segment: nameOf(text, outer) ?? "" });
    }
    inner = outer;
  }
  return way;
}

/** The members of an object that are strings. */
function wordsOf(text: string, object: SyntaxNode): Map<string, string> {
  const words = new Map<string, string>();
  for (const property of object.getChildren("Property")) {
    const value = valueOf(property);
    const name = nameOf(text, property);
    const word = value?.name === "String" ? stringOf(text.slice(value.from, value.to)) : undefined;
    if (name !== undefined && word !== undefined) words.set(name, word);
  }
  return words;
}

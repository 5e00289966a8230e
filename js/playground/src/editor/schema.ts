/** Finds the shapes that a value in a document may have. */
import type { SyntaxNode } from "@lezer/common";

import { itemsOf, nameOf, stringOf, valueOf } from "./nodes.js";
import type { Language, Shape } from "./shape.js";

/** A shape that is neither a name nor a choice of alternatives. */
export type PlainShape = Exclude<Shape, { is: "type" | "either" }>;

/** Returns the shapes that the value at `node` may have. */
export function shapesAt(language: Language, root: string, text: string, node: SyntaxNode): PlainShape[] {
  const path = pathTo(text, node);
  let shapes: PlainShape[] = expanded(language, { is: "type", name: root });
  for (const { container, segment } of path) {
    shapes = fitting(language, text, shapes, container).flatMap((shape) => below(language, shape, segment));
  }
  return shapes;
}

/** Returns the shapes of a field or of the items. */
export function below(language: Language, shape: PlainShape, segment: string | number): PlainShape[] {
  if (shape.is === "expression") return [shape];
  if (shape.is === "list") return typeof segment === "number" ? expanded(language, shape.of) : [];
  if (shape.is !== "object" || typeof segment === "number") return [];
  const member = Object.hasOwn(shape.fields, segment) ? shape.fields[segment]?.shape : shape.others;
  return member === undefined ? [] : expanded(language, member);
}

/** Returns the shapes that fit the words in an object. A `kind`, for example, selects one alternative. */
export function fitting(language: Language, text: string, shapes: readonly PlainShape[], container: SyntaxNode): PlainShape[] {
  if (container.name !== "Object" || shapes.length < 2) return [...shapes];
  const words = wordsOf(text, container);
  const left = shapes.filter((shape) => {
    if (shape.is !== "object") return true;
    return [...words].every(([name, word]) => {
      const member = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      const allowed = member === undefined ? [] : expanded(language, member.shape);
      return (
        !allowed.some(({ is }) => is === "word") || allowed.some((other) => other.is !== "word" || other.words.includes(word))
      );
    });
  });
  return left.length > 0 ? left : [...shapes];
}

/** Resolves named types and alternatives. */
export function expanded(language: Language, shape: Shape, depth = 0): PlainShape[] {
  // The limit ends the recursion of a type that refers only to itself.
  if (depth > 16) return [];
  if (shape.is === "either") return shape.any.flatMap((other) => expanded(language, other, depth + 1));
  if (shape.is !== "type") return [shape];
  const named = Object.hasOwn(language.types, shape.name) ? language.types[shape.name] : undefined;
  return named === undefined ? [] : expanded(language, named, depth + 1);
}

interface PathStep {
  readonly container: SyntaxNode;
  readonly segment: string | number;
}

/** Returns the path from the document to a value. */
function pathTo(text: string, node: SyntaxNode): PathStep[] {
  const way: PathStep[] = [];
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

/** Returns the fields of an object whose values are strings. */
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

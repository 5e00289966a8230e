/** What a member or a word of a condition means, told where the mouse rests on it. */
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";

import type { Knowledge } from "./completion.js";
import { nameOf, stringOf } from "./place.js";
import { fitting, shapesAt } from "./schema.js";
import type { Term } from "./shape.js";

export function hover(knowledge: Knowledge): Extension {
  return hoverTooltip((view, offset) => {
    const text = view.state.doc.toString();
    const node = syntaxTree(view.state).resolveInner(offset, -1);
    const property = node.name === "PropertyName" ? node.parent : null;
    const term = property === null ? variable(knowledge, text, node) : member(knowledge, text, property);
    if (term === undefined || term.about === "") return null;
    return { pos: node.from, end: node.to, above: true, create: () => ({ dom: tooltip(term) }) };
  });
}

type Node = Parameters<typeof shapesAt>[3];

function member({ language, root }: Knowledge, text: string, property: Node): Term | undefined {
  const name = nameOf(text, property);
  const object = property.parent;
  if (name === undefined || object === null) return undefined;
  for (const shape of fitting(language, text, shapesAt(language, root, text, object), object)) {
    if (shape.is === "expression") return language.operators.find((operator) => operator.name === name);
    const found = shape.is === "object" && Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    if (found !== undefined) return { name, form: found.isOptional ? "optional" : "required", about: found.about };
  }
  return undefined;
}

function variable({ language }: Knowledge, text: string, node: Node): Term | undefined {
  const name = node.name === "String" ? stringOf(text.slice(node.from, node.to)) : undefined;
  return name === undefined ? undefined : language.facts.find((fact) => fact.name === name);
}

function tooltip({ name, form, about }: Term): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-hover";
  const head = document.createElement("code");
  head.textContent = name;
  box.append(head, form === "" ? "" : `, ${form}`, document.createElement("br"), about);
  return box;
}

/** Tooltips for fields, operators and variables. */
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";

import type { Knowledge } from "./completion.js";
import { cut } from "../json.js";
import { nameOf, stringOf } from "./nodes.js";
import { fitting, shapesAt } from "./schema.js";
import type { Term } from "./shape.js";

/** The characters of a value in a tooltip. */
const NOW_LENGTH = 400;

export function hover(knowledge: Knowledge): Extension {
  return hoverTooltip(async (view, offset) => {
    const text = view.state.doc.toString();
    const node = syntaxTree(view.state).resolveInner(offset, -1);
    const property = node.name === "PropertyName" ? node.parent : null;
    const term = property === null ? await variableTerm(knowledge, text, node) : fieldTerm(knowledge, text, property);
    if (term === undefined || (term.about === "" && term.now === undefined)) return null;
    return { pos: node.from, end: node.to, above: true, create: () => ({ dom: tooltip(term) }) };
  });
}

type TreeNode = Parameters<typeof shapesAt>[3];

function fieldTerm({ language, root }: Knowledge, text: string, property: TreeNode): Term | undefined {
  const name = nameOf(text, property);
  const object = property.parent;
  if (name === undefined || object === null) return undefined;
  for (const shape of fitting(language, text, shapesAt(language, root, text, object), object)) {
    if (shape.is === "expression") return language.operators.find((operator) => operator.name === name);
    const found = shape.is === "object" && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (found !== undefined) return { name, form: found.isOptional ? "optional" : "required", about: found.about };
  }
  return undefined;
}

async function variableTerm({ variables }: Knowledge, text: string, node: TreeNode): Promise<Term | undefined> {
  const name = node.name === "String" ? stringOf(text.slice(node.from, node.to)) : undefined;
  return name === undefined ? undefined : (await variables()).find((variable) => variable.name === name);
}

function tooltip({ name, form, about, now }: Term): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-hover";
  const head = document.createElement("code");
  head.textContent = name;
  box.append(head, form === "" ? "" : `, ${form}`);
  for (const line of [about, now === undefined ? "" : `Now: ${cut(now, NOW_LENGTH)}`]) {
    if (line !== "") box.append(document.createElement("br"), line);
  }
  return box;
}

/** Completion: fields and words of the engine's types, and the operators and variables of conditions. */
import { startCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

import { nameOf } from "./nodes.js";
import { positionAt, type AtName, type AtValue } from "./position.js";
import { below, fitting, shapesAt, type PlainShape } from "./schema.js";
import { cut } from "../json.js";
import type { Language, ShapeField, Term } from "./shape.js";

/** The knowledge of the completion of one editor. */
export interface Knowledge {
  readonly language: Language;
  /** The type of the document. */
  readonly root: string;
  /** Returns the variables that conditions of the document can read. */
  readonly variables: () => Promise<readonly Term[]>;
}

/** The characters of a value in the list of completions. The text next to the list has the whole value. */
const NOW_LENGTH = 40;

/** The time limit for parsing the rest of a text. */
const PARSE_MS = 50;

/** Operators whose operands are paths of variables. */
const OF_VARIABLES: readonly string[] = ["var", "missing", "missing_some"];

/** Returns the completions at the cursor. */
export async function complete(knowledge: Knowledge, context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  // The editor parses long texts in the background, and its tree may be incomplete.
  const tree = ensureSyntaxTree(context.state, text.length, PARSE_MS) ?? syntaxTree(context.state);
  const at = positionAt(tree, text, context.pos);
  if (at === undefined) return null;
  const isNothing = at.from === at.to;
  // Without any text, completion appears only on request.
  if (isNothing && !context.explicit) return null;
  const options = at.kind === "name" ? names(knowledge, text, at) : await values(knowledge, text, at);
  const isQuoted = text[at.from] === '"';
  return options.length === 0 ? null : { from: isQuoted ? at.from + 1 : at.from, options, validFor: /^[\w.\-/<>=!+*%?:]*$/ };
}

function names(knowledge: Knowledge, text: string, at: AtName): Completion[] {
  const { language, root } = knowledge;
  const shapes = fitting(language, text, shapesAt(language, root, text, at.object), at.object);
  const own = at.object.getChildren("Property").find(({ from }) => from === at.from);
  const others = at.object.getChildren("Property").filter((property) => property !== own && property.from !== at.from);
  const taken = new Set(others.map((property) => nameOf(text, property)));
  const hasValue = own !== undefined && /^\s*:/.test(text.slice(at.to));
  const found = new Map<string, Completion>();
  for (const shape of shapes) {
    if (shape.is === "expression" && taken.size === 0) {
      for (const term of language.operators)
        found.set(term.name, option(term, "function", at, inserted(term.name, hasValue, "[]")));
    }
    if (shape.is !== "object") continue;
    for (const [name, member] of Object.entries(shape.fields)) {
      if (taken.has(name) || found.has(name)) continue;
      const next = below(language, shape, name);
      const term = { name, form: member.isOptional ? "" : "required", about: aboutOf(member, next) };
      const boost = member.isOptional ? 0 : 1;
      found.set(name, { ...option(term, "property", at, inserted(name, hasValue, blank(next))), boost });
    }
  }
  return [...found.values()];
}

async function values(knowledge: Knowledge, text: string, at: AtValue): Promise<Completion[]> {
  const { language, root } = knowledge;
  const holder = at.holder;
  const container = holder.name === "Property" ? holder.parent : holder;
  if (container === null) return [];
  const around = fitting(language, text, shapesAt(language, root, text, container), container);
  const segment = holder.name === "Property" ? (nameOf(text, holder) ?? "") : at.index;
  const shapes = around.flatMap((shape) => below(language, shape, segment));
  const terms = new Map<string, Completion>();
  for (const shape of shapes) {
    if (shape.is === "word")
      for (const name of shape.words) terms.set(name, option({ name, form: "", about: "" }, "enum", at, quoted(name)));
    if (shape.is === "boolean")
      for (const name of ["true", "false"]) terms.set(name, option({ name, form: "", about: "" }, "keyword", at, [name]));
    if (shape.is === "expression" && asksForVariable(text, holder)) {
      for (const term of await knowledge.variables()) terms.set(term.name, option(term, "variable", at, quoted(term.name)));
    }
  }
  return [...terms.values()];
}

/** Returns true if the value is an operand that names a variable. */
function asksForVariable(text: string, holder: SyntaxNode): boolean {
  const property = holder.name === "Array" ? holder.parent : holder;
  return property?.name === "Property" && OF_VARIABLES.includes(nameOf(text, property) ?? "");
}

/** Joins texts, except empty ones. */
function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

/** The inserted text, and the distance of the cursor from its end. */
type Insertion = readonly [text: string, back?: number];

function quoted(word: string): Insertion {
  return [JSON.stringify(word)];
}

function inserted(name: string, hasValue: boolean, value: string): Insertion {
  const key = JSON.stringify(name);
  if (hasValue) return [key];
  return [`${key}: ${value}`, value === "" ? 0 : value.length / 2];
}

/** Returns the empty value of a shape. */
function blank(shapes: readonly PlainShape[]): string {
  const [shape] = shapes.filter(({ is }) => is !== "null");
  switch (shape?.is) {
    case "list":
      return "[]";
    case "object":
    case "expression":
      return "{}";
    case "text":
    case "word":
      return '""';
    default:
      return "";
  }
}

function aboutOf({ about }: ShapeField, shapes: readonly PlainShape[]): string {
  const words = shapes.flatMap((shape) => (shape.is === "word" ? shape.words : []));
  const known = words.length > 0 && words.length < 12 ? words.map((word) => `\`${word}\``).join(", ") : "";
  return [about, known].filter((part) => part !== "").join(" ");
}

function option({ name, form, about, now }: Term, type: string, at: AtName | AtValue, [text, back = 0]: Insertion): Completion {
  const written = name === "var" ? `"var": ""` : text;
  const behind = name === "var" ? 1 : back;
  const detail = joined(", ", form, now && cut(now, NOW_LENGTH));
  const info = joined(" ", about, now && `Now: ${now}.`);
  return {
    label: name,
    type,
    ...(detail === "" ? {} : { detail }),
    ...(info === "" ? {} : { info }),
    apply: (view: EditorView, _: Completion, __: number, to: number) => {
      // The text may have changed since the completion began.
      const now = positionAt(syntaxTree(view.state), view.state.doc.toString(), to);
      const [from, until] = now?.from === at.from ? [now.from, Math.max(now.to, to)] : [at.from, to];
      view.dispatch({
        changes: { from, to: until, insert: written },
        selection: { anchor: from + written.length - behind },
        userEvent: "input.complete",
        scrollIntoView: true,
      });
      if (behind > 0) startCompletion(view);
    },
  };
}

/** Finds the ranges of values in a JSON text, also in an unfinished one. */
import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@lezer/json";

import { segmentsOf } from "../json.js";
import { itemsOf, nameOf, valueOf } from "./nodes.js";

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

/** A JSON text. It is parsed when a range is looked up first, and each container is read once. */
export class JsonText {
  readonly text: string;
  readonly #parse: () => Tree;
  #root: TreeValue | undefined;
  #lineStarts: number[] | undefined;

  /** @param parse Returns the syntax tree of the text. */
  constructor(text: string, parse: () => Tree = () => parser.parse(text)) {
    this.text = text;
    this.#parse = parse;
  }

  /** Returns the range of an error: the position at the end of its message, or the target of its path. */
  rangeOfFault(fault: Fault): TextRange {
    const position = /, line (\d+) column (\d+)$/.exec(fault.message);
    if (position !== null) return this.#characterAt(Number(position[1]), Number(position[2]));
    return this.shortRangeOf(fault.path, ABOUT_NAMES.includes(fault.code));
  }

  /** Returns a range of one line for a pointer's target. For a value of several lines, it is the field's name or the first line. */
  shortRangeOf(pointer: string, ofName = false): TextRange {
    const whole = this.rangeOf(pointer, ofName);
    const range = this.#isLong(whole) ? this.rangeOf(pointer, true) : whole;
    return this.#isLong(range) ? { from: range.from, to: this.text.indexOf("\n", range.from) } : range;
  }

  /**
   * Returns the range of a pointer's target, or of the innermost present value on its path.
   *
   * @param ofName If true, returns the range of the field's name instead of its value.
   */
  rangeOf(pointer: string, ofName = false): TextRange {
    this.#root ??= new TreeValue(this.text, this.#parse().topNode.firstChild, null);
    let found = this.#root;
    let isThere = true;
    for (const segment of segmentsOf(pointer)) {
      const child = found.child(segment);
      if (child === undefined) {
        isThere = false;
        break;
      }
      found = child;
    }
    const { node, property } = found;
    const name = property?.getChild("PropertyName") ?? null;
    // An absent value is shown at the name of its container, because the container may be longer than the screen.
    const chosen = isThere && !ofName ? (node ?? name) : (name ?? node);
    if (chosen === null) return { from: 0, to: Math.min(1, this.text.length) };
    return isThere || name !== null
      ? { from: chosen.from, to: chosen.to }
      : { from: chosen.from, to: Math.min(chosen.from + 1, chosen.to) };
  }

  /** Returns the line of an offset, from 1. */
  lineOf(offset: number): number {
    const starts = this.#starts();
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** Returns the offsets at which lines begin. */
  #starts(): readonly number[] {
    if (this.#lineStarts === undefined) {
      this.#lineStarts = [0];
      for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) this.#lineStarts.push(at + 1);
    }
    return this.#lineStarts;
  }

  #isLong({ from, to }: TextRange): boolean {
    const end = this.text.indexOf("\n", from);
    return end !== -1 && end < to;
  }

  /** Returns the range of the character at a line and a column, both from 1. Columns count characters, not UTF-16 units. */
  #characterAt(line: number, column: number): TextRange {
    const { text } = this;
    let from = this.#starts()[line - 1] ?? text.length;
    for (let ahead = column - 1; ahead > 0 && from < text.length; ahead -= 1) from += widthAt(text, from);
    if (from < text.length) return { from, to: from + widthAt(text, from) };
    // After the end of the text, the last visible character is marked.
    const last = text.trimEnd().length;
    return { from: Math.max(0, last - 1), to: last };
  }
}

/** A value in the syntax tree, with the values below it. */
class TreeValue {
  /** The value, or null if it is missing. */
  readonly node: SyntaxNode | null;
  /** The field of the value. */
  readonly property: SyntaxNode | null;
  readonly #text: string;
  #children: ReadonlyMap<string, TreeValue> | undefined;

  constructor(text: string, node: SyntaxNode | null, property: SyntaxNode | null) {
    this.#text = text;
    this.node = node;
    this.property = property;
  }

  child(segment: string): TreeValue | undefined {
    this.#children ??= this.#read();
    return this.#children.get(segment);
  }

  #read(): Map<string, TreeValue> {
    const { node } = this;
    const children = new Map<string, TreeValue>();
    if (node?.name === "Array")
      itemsOf(node).forEach((item, at) => children.set(String(at), new TreeValue(this.#text, item, null)));
    if (node?.name !== "Object") return children;
    for (const property of node.getChildren("Property")) {
      const name = nameOf(this.#text, property);
      // The engine reports a repeated field at its last occurrence.
      if (name !== undefined) children.set(name, new TreeValue(this.#text, valueOf(property), property));
    }
    return children;
  }
}

function widthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** Marks that are not errors: lines that differ, and the shown range. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

import type { TextRange } from "./json-text.js";

/** Marks the lines of these ranges as different, and removes earlier marks of this kind. */
export const setDiffering = StateEffect.define<readonly TextRange[]>();

/** Marks a range as shown. Null removes the mark. */
export const setShown = StateEffect.define<TextRange | null>();

const differing = Decoration.line({ class: "cm-differs" });
const shown = Decoration.mark({ class: "cm-shown" });

const differences = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setDiffering)) continue;
      const { doc } = transaction.state;
      const lines = new Set<number>();
      for (const { from, to } of effect.value) {
        const last = doc.lineAt(Math.min(Math.max(from, to - 1), doc.length)).number;
        for (let line = doc.lineAt(Math.min(from, doc.length)).number; line <= last; line += 1) lines.add(line);
      }
      next = Decoration.set([...lines].sort((a, b) => a - b).map((line) => differing.range(doc.line(line).from)));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const shownRange = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    // An edit removes the mark.
    let next = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setShown)) continue;
      const { value } = effect;
      next = value === null || value.from >= value.to ? Decoration.none : Decoration.set([shown.range(value.from, value.to)]);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The extension of an editor that shows marks. */
export const marks: Extension = [differences, shownRange];

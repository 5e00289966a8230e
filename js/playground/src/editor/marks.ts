/** Lines and places that are marked for a reason other than an error: what differs, what is shown. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

import type { Place } from "./place.js";

/** Marks the lines of these places as different; takes other marks of this kind away. */
export const setDiffering = StateEffect.define<readonly Place[]>();

/** Marks one place as shown; null takes the mark away. */
export const setShown = StateEffect.define<Place | null>();

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

const place = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    // Who writes has seen it.
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

/** What an editor needs to show marks. */
export const marks: Extension = [differences, place];

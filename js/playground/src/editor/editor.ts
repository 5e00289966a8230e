/**
 * An editor of one JSON document.
 *
 * It lives in a shadow root: there CodeMirror's styles are adopted style sheets, which need no `style-src 'unsafe-inline'`.
 * Tab is left to the browser, so the keyboard gets out of an editor as it got in.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, Transaction } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";

import { complete, type Knowledge } from "./completion.js";
import { hover } from "./hover.js";
import { look } from "./look.js";
import { marks, setDiffering, setShown } from "./marks.js";
import { lineOf, placeOf, type Place } from "./place.js";

/** Something to be said about a place. */
export interface Remark extends Place {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
}

/** What an editor is made with. */
export interface Settings {
  /** Its name for who cannot see it. */
  readonly label: string;
  readonly text: string;
  readonly knowledge: Knowledge;
  /** Called when somebody wrote. */
  readonly onChange: (text: string) => void;
}

/** Marks what the page puts into an editor, as opposed to what somebody writes. */
const ours = Annotation.define<boolean>();

export class Editor {
  readonly #view: EditorView;

  constructor(host: HTMLElement, settings: Settings) {
    const root = host.attachShadow({ mode: "open" });
    const mount = document.createElement("div");
    // The host has a size, and nothing between it and the editor may lose it.
    mount.style.height = "100%";
    root.append(mount);
    this.#view = new EditorView({
      parent: mount,
      root,
      state: EditorState.create({ doc: settings.text, extensions: extensions(settings) }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Puts another text in; that can be undone. */
  replace(text: string): void {
    const { doc } = this.#view.state;
    if (doc.toString() === text) return;
    this.#view.dispatch({
      changes: { from: 0, to: doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: [ours.of(true), Transaction.addToHistory.of(true)],
    });
  }

  /** Says what is to be said about the text, instead of what was said before. */
  remark(remarks: readonly Remark[]): void {
    const { length } = this.#view.state.doc;
    const diagnostics = remarks.map(({ from, to, severity, message }): Diagnostic => {
      return { from: Math.min(from, length), to: Math.min(to, length), severity, message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Marks the lines of these places as different. */
  differ(places: readonly Place[]): void {
    this.#view.dispatch({ effects: setDiffering.of(places) });
  }

  /** The line that a pointer leads to, from 1. */
  lineAt(pointer: string): number {
    const { text } = this;
    return lineOf(text, placeOf(text, pointer).from);
  }

  /** Shows a place, and goes there. */
  show(place: Place): void {
    const { length } = this.#view.state.doc;
    const shown = { from: Math.min(place.from, length), to: Math.min(place.to, length) };
    const scroll = EditorView.scrollIntoView(shown.from, { y: "center" });
    this.#view.dispatch({ selection: { anchor: shown.from }, effects: [setShown.of(shown), scroll] });
    this.#view.focus();
  }

  /** Measures anew, when the editor was not to be seen. */
  refresh(): void {
    this.#view.requestMeasure();
  }
}

function extensions({ label, knowledge, onChange }: Settings) {
  return [
    lineNumbers(),
    foldGutter({ openText: "▾", closedText: "▸" }),
    lintGutter(),
    highlightSpecialChars(),
    history(),
    codeFolding(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    json(),
    jsonLanguage.data.of({ autocomplete: (context: Parameters<typeof complete>[1]) => complete(knowledge, context) }),
    autocompletion({ icons: false, activateOnTypingDelay: 80 }),
    hover(knowledge),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    marks,
    look,
    EditorView.domEventHandlers({ beforeinput: writeOver }),
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      const isOurs = update.transactions.some((transaction) => transaction.annotation(ours) === true);
      if (update.docChanged && !isOurs) onChange(update.state.doc.toString());
    }),
  ];
}

/**
 * Writes over a selection. Chromium would give the new text the style of the old one where that is underlined, in a `style` attribute,
 * which the page's policy forbids and the browser then complains about.
 */
function writeOver(event: InputEvent, view: EditorView): boolean {
  const { data: text, inputType } = event;
  const { state } = view;
  if (inputType !== "insertText" || text === null || view.composing || state.selection.main.empty) return false;
  event.preventDefault();
  const { from, to } = state.selection.main;
  const insert = () => state.update(state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  // First those who have a wish about what is typed: brackets are put around a selection.
  if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
  return true;
}

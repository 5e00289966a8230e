/**
 * An editor of one JSON document.
 *
 * It is in a shadow root, where CodeMirror adopts its style sheets, which need no `style-src 'unsafe-inline'`. The Tab key moves the focus out of
 * the editor.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, codeFolding, ensureSyntaxTree, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { parser } from "@lezer/json";
import { Annotation, EditorState, Transaction, type Text } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";

import { nextTask } from "../dom.js";
import { complete, type Knowledge } from "./completion.js";
import { hover } from "./hover.js";
import { look } from "./look.js";
import { marks, setDiffering, setShown } from "./marks.js";
import { JsonText, type TextRange } from "./json-text.js";

/** A message about a range of the text. */
export interface Remark extends TextRange {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
}

/** The settings of an editor. */
export interface EditorSettings {
  /** Its name for screen readers. */
  readonly label: string;
  readonly text: string;
  readonly knowledge: Knowledge;
  /** Called after the user's edit. */
  readonly onChange: (text: string) => void;
}

/** Marks changes by the page, as opposed to edits by the user. */
const byPage = Annotation.define<boolean>();

/** The time limit of a task that parses. */
const PARSE_MS = 20;

export class Editor {
  readonly #view: EditorView;
  #parsed = Promise.resolve();
  #json: { readonly doc: Text; readonly content: JsonText } | undefined;

  constructor(host: HTMLElement, settings: EditorSettings) {
    const root = host.attachShadow({ mode: "open" });
    const mount = document.createElement("div");
    // The editor fills the host, so the element between them needs its height.
    mount.style.height = "100%";
    root.append(mount);
    this.#view = new EditorView({
      parent: mount,
      root,
      state: EditorState.create({
        doc: settings.text,
        extensions: [extensions(settings), EditorView.updateListener.of(({ docChanged }) => docChanged && this.#parse())],
      }),
    });
    this.#parse();
  }

  /** Resolves when the text is parsed. Until then, `content` takes longer. */
  get parsed(): Promise<void> {
    return this.#parsed;
  }

  get text(): string {
    return this.content.text;
  }

  /** The text with the ranges of its values. */
  get content(): JsonText {
    const { state } = this.#view;
    const { doc } = state;
    if (this.#json?.doc !== doc) {
      const text = doc.toString();
      const parse = () => ensureSyntaxTree(state, text.length, PARSE_MS) ?? parser.parse(text);
      this.#json = { doc, content: new JsonText(text, parse) };
    }
    return this.#json.content;
  }

  /** Replaces the text. The user can undo it. */
  replace(text: string): void {
    if (this.text === text) return;
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: [byPage.of(true), Transaction.addToHistory.of(true)],
    });
  }

  /** Replaces the remarks about the text. */
  remark(remarks: readonly Remark[]): void {
    const { length } = this.#view.state.doc;
    const diagnostics = remarks.map(({ from, to, severity, message }): Diagnostic => {
      return { from: Math.min(from, length), to: Math.min(to, length), severity, message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Marks the lines of these ranges as different. */
  markDifferences(ranges: readonly TextRange[]): void {
    this.#view.dispatch({ effects: setDiffering.of(ranges) });
  }

  /** Returns the line of a pointer's target, from 1. */
  lineAt(pointer: string): number {
    const { content } = this;
    return content.lineOf(content.rangeOf(pointer).from);
  }

  /** Scrolls to a range, marks it, and moves the cursor there. */
  show(range: TextRange): void {
    const { length } = this.#view.state.doc;
    const shown = { from: Math.min(range.from, length), to: Math.min(range.to, length) };
    const scroll = EditorView.scrollIntoView(shown.from, { y: "center" });
    this.#view.dispatch({ selection: { anchor: shown.from }, effects: [setShown.of(shown), scroll] });
    this.#view.focus();
  }

  /** Parses the text in short tasks. */
  #parse(): void {
    const { doc } = this.#view.state;
    const isLatest = () => this.#view.state.doc === doc;
    const parse = async () => {
      do {
        await nextTask();
      } while (isLatest() && ensureSyntaxTree(this.#view.state, doc.length, PARSE_MS) === null);
    };
    this.#parsed = parse();
  }

  /** Measures the editor after it was hidden. */
  refresh(): void {
    this.#view.requestMeasure();
  }
}

function extensions({ label, knowledge, onChange }: EditorSettings) {
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
      const isOurs = update.transactions.some((transaction) => transaction.annotation(byPage) === true);
      if (update.docChanged && !isOurs) onChange(update.state.doc.toString());
    }),
  ];
}

/**
 * Replaces a selection with typed text. If the selection is underlined, Chromium would copy its style to a `style` attribute, which the page's
 * content security policy forbids.
 */
function writeOver(event: InputEvent, view: EditorView): boolean {
  const { data: text, inputType } = event;
  const { state } = view;
  if (inputType !== "insertText" || text === null || view.composing || state.selection.main.empty) return false;
  event.preventDefault();
  const { from, to } = state.selection.main;
  const insert = () => state.update(state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  // Other input handlers come first. One of them adds brackets around a selection.
  if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
  return true;
}

/**
 * The state of the page: documents, their editors, and the open view.
 *
 * Changes flow in one direction: editor -> text -> engine -> view. A view changes a document only by `put`.
 */
import type { Engine } from "adjudicate/slim";

import { forgetResult, notice } from "./announce.js";
import { DOCUMENT_NAMES, storeTexts, type DocumentName, type Texts } from "./documents.js";
import { byId } from "./dom.js";
import type { Editor } from "./editor/editor.js";
import { exampleOf, listExamples } from "./examples.js";
import { Evaluator } from "./evaluator.js";
import type { Page } from "./page.js";
import { Tabs, type View } from "./tabs.js";
import { timings } from "./timings.js";
import { showComparison, unmarkTexts } from "./views/compare.js";
import { showDecision } from "./views/decide.js";
import { exportCase } from "./views/export.js";
import { leaveLink } from "./views/link.js";
import { ModuleView } from "./views/module.js";
import { showPlan } from "./views/plan.js";

export type Editors = Readonly<Record<DocumentName, Editor>>;

/** The pause in typing before an evaluation. It grows with the time of an evaluation, which blocks typing. */
const PAUSE_MS = { least: 60, most: 2000 };

export class Playground implements Page {
  readonly engine: Engine;
  readonly editors: Editors;
  readonly #evaluator: Evaluator;
  readonly #other: Evaluator;
  readonly #module: ModuleView;
  readonly #tabs = new Tabs(() => this.#refresh());
  readonly #example = byId("example", HTMLSelectElement);
  #texts: Texts;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #lastTook = 0;

  constructor(engine: Engine, editors: Editors) {
    this.engine = engine;
    this.editors = editors;
    this.#texts = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, editors[name].text])) as Record<DocumentName, string>;
    this.#evaluator = new Evaluator(engine);
    this.#other = new Evaluator(engine);
    this.#module = new ModuleView(this, this.#evaluator);
  }

  get view(): View {
    return this.#tabs.view;
  }

  texts(): Texts {
    return this.#texts;
  }

  put(name: DocumentName, text: string): void {
    this.editors[name].replace(text);
    this.edited(name, text);
  }

  /** Called after an edit by the user. */
  edited(name: DocumentName, text: string): void {
    this.#texts = { ...this.#texts, [name]: text };
    leaveLink();
    notice("");
    this.#example.value = "";
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.evaluate(), Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, 2 * this.#lastTook)));
  }

  /** Opens other documents in a view. */
  open(texts: Partial<Texts>, view: View): void {
    for (const name of DOCUMENT_NAMES) {
      const text = texts[name];
      if (text === undefined) continue;
      this.#texts = { ...this.#texts, [name]: text };
      this.editors[name].replace(text);
    }
    if (view === this.view) this.#refresh();
    else this.#tabs.open(view);
  }

  /** Loads a module that the user dropped. */
  loadModule(file: File): void {
    this.#tabs.open("module");
    void this.#module.loadFile(file);
  }

  exportCase(): void {
    exportCase(this, this.#evaluator);
  }

  /** Evaluates the documents of the view, and shows the result. */
  evaluate(): void {
    clearTimeout(this.#pause);
    const start = performance.now();
    storeTexts(this.#texts);
    if (this.view !== "compare") unmarkTexts(this);
    if (this.view === "compare") showComparison(this, this.#evaluator, this.#other);
    else if (this.view === "plan") showPlan(this);
    else showDecision(this, this.#evaluator);
    if (this.view === "module") void this.#module.show();
    showTimings();
    this.#lastTook = performance.now() - start;
  }

  /** Called after the view or its documents have changed. */
  #refresh(): void {
    listExamples(this.#example, this.view);
    this.#example.value = exampleOf(this.#texts, this.view);
    for (const editor of Object.values(this.editors)) editor.refresh();
    forgetResult();
    this.evaluate();
  }
}

function showTimings(): void {
  const { engine, firstDecision } = timings();
  const took = (milliseconds: number | undefined) => (milliseconds === undefined ? "not yet" : `${milliseconds.toFixed(1)} ms`);
  byId("timing", HTMLElement).textContent = `Engine ${took(engine)} · first decision ${took(firstDecision)}`;
}

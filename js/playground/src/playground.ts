/**
 * What holds the page together: documents, their editors, and the view of them that is open.
 *
 * A change of a document goes one way: editor -> text -> engine -> view. Views change a document by `put`, and in no other way.
 */
import type { Engine } from "adjudicate/slim";

import { notice } from "./announce.js";
import { DOCUMENT_NAMES, keep, type DocumentName, type Texts } from "./documents.js";
import { byId } from "./dom.js";
import type { Editor } from "./editor/editor.js";
import { exampleOf, offer } from "./examples.js";
import { Judge } from "./judge.js";
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

/** How long nothing is written before what is written is judged; longer where judging takes long, for it holds writing up. */
const PAUSE_MS = { least: 60, most: 2000 };

export class Playground implements Page {
  readonly engine: Engine;
  readonly editors: Editors;
  readonly #judge: Judge;
  readonly #other: Judge;
  readonly #module: ModuleView;
  readonly #tabs = new Tabs(() => this.#turn());
  readonly #example = byId("example", HTMLSelectElement);
  #texts: Texts;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #lastTook = 0;

  constructor(engine: Engine, editors: Editors) {
    this.engine = engine;
    this.editors = editors;
    this.#texts = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, editors[name].text])) as Record<DocumentName, string>;
    this.#judge = new Judge(engine);
    this.#other = new Judge(engine);
    this.#module = new ModuleView(this, this.#judge);
  }

  get view(): View {
    return this.#tabs.view;
  }

  texts(): Texts {
    return this.#texts;
  }

  put(name: DocumentName, text: string): void {
    this.editors[name].replace(text);
    this.written(name, text);
  }

  /** Somebody has written in an editor. */
  written(name: DocumentName, text: string): void {
    this.#texts = { ...this.#texts, [name]: text };
    leaveLink();
    notice("");
    this.#example.value = "";
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.judge(), Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, 2 * this.#lastTook)));
  }

  /** Opens other documents, all at once, in a view. */
  open(texts: Partial<Texts>, view: View): void {
    for (const name of DOCUMENT_NAMES) {
      const text = texts[name];
      if (text === undefined) continue;
      this.#texts = { ...this.#texts, [name]: text };
      this.editors[name].replace(text);
    }
    if (view === this.view) this.#turn();
    else this.#tabs.open(view);
  }

  /** Takes a module that somebody dropped. */
  take(file: File): void {
    this.#tabs.open("module");
    void this.#module.take(file);
  }

  exportCase(): void {
    exportCase(this, this.#judge);
  }

  /** Judges the documents that the view is about, and shows what comes of it. */
  judge(): void {
    clearTimeout(this.#pause);
    const start = performance.now();
    keep(this.#texts);
    if (this.view !== "compare") unmarkTexts(this);
    if (this.view === "compare") showComparison(this, this.#judge, this.#other);
    else if (this.view === "plan") showPlan(this);
    else showDecision(this, this.#judge);
    if (this.view === "module") void this.#module.show();
    showTimings();
    this.#lastTook = performance.now() - start;
  }

  /** The view is another one, or what it is about. */
  #turn(): void {
    offer(this.#example, this.view);
    this.#example.value = exampleOf(this.#texts, this.view);
    for (const editor of Object.values(this.editors)) editor.refresh();
    this.judge();
  }
}

function showTimings(): void {
  const { engine, firstDecision } = timings();
  const took = (milliseconds: number | undefined) => (milliseconds === undefined ? "not yet" : `${milliseconds.toFixed(1)} ms`);
  byId("timing", HTMLElement).textContent = `Engine ${took(engine)} · first decision ${took(firstDecision)}`;
}

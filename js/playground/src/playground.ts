/**
 * The state of the page: documents, their editors, and the open view.
 *
 * Changes flow in one direction: editor -> text -> engine in its worker -> view. A view changes a document only by `put` and `replace`.
 */
import { forgetResult, notice, noticeFailure } from "./announce.js";
import type { Answers } from "./answers.js";
import { DOCUMENT_NAMES, TITLES, storeDocuments, type DocumentName, type Texts } from "./documents.js";
import { byId, nextTask } from "./dom.js";
import type { Editor } from "./editor/editor.js";
import type { LoadedEngine } from "./engine.js";
import { aboutExample, exampleOf, listExamples } from "./examples.js";
import type { Page } from "./page.js";
import { ask } from "./parts/dialog.js";
import type { PolicyTest } from "./policy-tests.js";
import { Tabs, type View } from "./tabs.js";
import { timings } from "./timings.js";
import { askComparison, unmarkTexts } from "./views/compare.js";
import { askDecision } from "./views/decide.js";
import { exportCase } from "./views/export.js";
import { leaveLink } from "./views/link.js";
import { ModuleView } from "./views/module.js";
import { askPlan } from "./views/plan.js";

export type Editors = Readonly<Record<DocumentName, Editor>>;

/** The pause in typing before an evaluation. */
const PAUSE_MS = 60;

/** The question of each view. The module's view shows the decision of the engine's policy, too. */
const ASK: Readonly<Record<View, (page: Page) => Promise<() => void>>> = {
  decide: askDecision,
  compare: askComparison,
  plan: askPlan,
  module: askDecision,
};

export class Playground implements Page {
  readonly answers: Answers;
  readonly editors: Editors;
  readonly #module: ModuleView;
  readonly #tabs = new Tabs(() => void this.#refresh());
  readonly #example = byId("example", HTMLSelectElement);
  /** The documents that the user changed. */
  readonly #own: Set<DocumentName>;
  #texts: Texts;
  #tests: readonly PolicyTest[] = [];
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** True while the engine works on the texts. */
  #isWaiting = false;
  /** False if a text has changed since the engine got it. */
  #isCurrent = false;

  constructor({ answers, module }: LoadedEngine, editors: Editors, own: Set<DocumentName>) {
    this.answers = answers;
    this.editors = editors;
    this.#own = own;
    this.#texts = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, editors[name].text])) as Record<DocumentName, string>;
    this.#module = new ModuleView(this, module);
  }

  get view(): View {
    return this.#tabs.view;
  }

  texts(): Texts {
    return this.#texts;
  }

  tests(): readonly PolicyTest[] {
    return this.#tests;
  }

  /** Runs tests under the policy, now and after each edit. */
  async runTests(tests: readonly PolicyTest[]): Promise<void> {
    this.#tests = tests;
    await this.open({}, "decide");
    document.getElementById("tests")?.scrollIntoView({ block: "nearest" });
  }

  put(name: DocumentName, text: string): void {
    this.editors[name].replace(text);
    this.edited(name, text);
  }

  async replace(texts: Partial<Texts>, view: View = this.view): Promise<boolean> {
    if (!(await this.#mayReplace(texts))) return false;
    leaveLink();
    notice("");
    await this.open(texts, view);
    return true;
  }

  /** Replaces documents by those of a link, which stays in the address. Asks and returns as `replace` does. */
  async openLinked(texts: Partial<Texts>, view: View): Promise<boolean> {
    const isDone = await this.#mayReplace(texts);
    if (isDone) await this.open(texts, view);
    else leaveLink();
    return isDone;
  }

  async #mayReplace(texts: Partial<Texts>): Promise<boolean> {
    const isLost = (name: DocumentName) => ![undefined, this.#texts[name]].includes(texts[name]) && this.#texts[name].trim() !== "";
    const lost = [...this.#own].filter(isLost).map((name) => TITLES[name].toLowerCase());
    if (lost.length === 0) return true;
    const names = new Intl.ListFormat("en").format(lost);
    return ask("Replace your documents?", `You changed the ${names}. An editor can undo the replacement.`, "Replace");
  }

  /** Called after an edit by the user. */
  edited(name: DocumentName, text: string): void {
    this.#own.add(name);
    this.#texts = { ...this.#texts, [name]: text };
    leaveLink();
    notice("");
    this.#example.value = "";
    byId("about", HTMLElement).hidden = true;
    this.#isCurrent = false;
    this.#markStale(true);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => void this.evaluate(), PAUSE_MS);
  }

  /** Opens documents in a view, and shows their result. Tests are of the policy, so they stay with it. */
  async open(texts: Partial<Texts>, view: View): Promise<void> {
    if (texts.envelope !== undefined && texts.policy !== undefined) this.#tests = [];
    for (const name of DOCUMENT_NAMES) {
      const text = texts[name];
      if (text === undefined) continue;
      this.#own.delete(name);
      this.#texts = { ...this.#texts, [name]: text };
      this.editors[name].replace(text);
    }
    if (view === this.view) await this.#refresh();
    else this.#tabs.open(view);
  }

  /** Loads a module that the user dropped. */
  loadModule(file: File): void {
    this.#tabs.open("module");
    void this.#module.loadFile(file);
  }

  exportCase(): Promise<void> {
    return exportCase(this);
  }

  /** Evaluates the documents of the view, and shows the result. A call while another one waits makes that one begin again. */
  async evaluate(): Promise<void> {
    clearTimeout(this.#pause);
    this.#isCurrent = false;
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    try {
      while (!this.#isCurrent) {
        this.#isCurrent = true;
        storeDocuments({ texts: this.#texts, own: [...this.#own] });
        const parsed = Object.values(this.editors).map((editor) => editor.parsed);
        const [show] = await Promise.all([ASK[this.view](this), ...parsed]);
        // The answer was read in this task. It is shown in another one.
        await nextTask();
        if (this.#isCurrent) this.#show(show);
      }
    } catch (thrown) {
      const retry = () => {
        notice("");
        void this.evaluate();
      };
      noticeFailure("No answer", thrown, retry);
      throw thrown;
    } finally {
      this.#isWaiting = false;
    }
  }

  #show(show: () => void): void {
    if (this.view !== "compare") unmarkTexts(this);
    show();
    if (this.view === "module") void this.#module.show();
    this.#markStale(false);
    showTimings();
  }

  /** Dims the result while it belongs to earlier texts. */
  #markStale(isStale: boolean): void {
    byId("result", HTMLElement).toggleAttribute("data-stale", isStale);
  }

  /** Called after the view or its documents have changed. */
  #refresh(): Promise<void> {
    listExamples(this.#example, this.view);
    this.#example.value = exampleOf(this.#texts, this.view);
    const about = byId("about", HTMLElement);
    about.textContent = aboutExample(this.#example.value);
    about.hidden = about.textContent === "";
    for (const editor of Object.values(this.editors)) editor.refresh();
    forgetResult();
    return this.evaluate();
  }
}

function showTimings(): void {
  const { engine, firstDecision } = timings();
  const took = (milliseconds: number | undefined) => (milliseconds === undefined ? "not yet" : `${milliseconds.toFixed(1)} ms`);
  byId("timing", HTMLElement).textContent = `Engine ${took(engine)} · first decision ${took(firstDecision)}`;
}

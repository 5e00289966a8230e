/**
 * The page: documents, their editors, and the views of them.
 *
 * A change of a document goes one way: editor -> text -> engine -> view. Views never change a document but through `put`.
 */
import language from "virtual:language";

import "./style/page.css";

import { notice } from "./announce.js";
import { byId } from "./dom.js";
import { DOCUMENT_NAMES, TITLES, TYPES, keep, recall, type DocumentName, type Texts } from "./documents.js";
import { Editor } from "./editor/editor.js";
import { formatted } from "./editor/format.js";
import { loadEngine } from "./engine.js";
import { exampleOf, firstTexts, offer, textsOf } from "./examples.js";
import { Judge } from "./judge.js";
import { keepOffline } from "./offline.js";
import type { Page } from "./page.js";
import { viewOf, Tabs } from "./tabs.js";
import { setUpTheme } from "./theme.js";
import { timings } from "./timings.js";
import { variablesOf } from "./variables.js";
import { showComparison, unmarkTexts } from "./views/compare.js";
import { showDecision } from "./views/decide.js";
import { setUpDrop } from "./views/drop.js";
import { exportCase } from "./views/export.js";
import { leaveLink, openLink, shareLink } from "./views/link.js";
import { ModuleView } from "./views/module.js";
import { showPlan } from "./views/plan.js";

/** How long nothing is written before what is written is judged; longer where judging takes long, for it holds writing up. */
const PAUSE_MS = { least: 60, most: 2000 };

async function start(): Promise<void> {
  setUpTheme();
  const loading = loadEngine();
  const shared = await openLink();
  let texts: Texts = shared ?? recall() ?? firstTexts();
  const editors = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, editorOf(name)])) as Record<DocumentName, Editor>;

  const page: Page = { engine: await loading, editors, texts: () => texts, put };
  const judge = new Judge(page.engine);
  const other = new Judge(page.engine);
  const module = new ModuleView(page, judge);
  const example = byId("example", HTMLSelectElement);
  const tabs = new Tabs(() => {
    offer(example, tabs.view);
    example.value = exampleOf(texts, tabs.view);
    for (const editor of Object.values(editors)) editor.refresh();
    judgeAll();
  });
  offer(example, tabs.view);
  let pause: ReturnType<typeof setTimeout> | undefined;
  let lastTook = 0;

  function editorOf(name: DocumentName): Editor {
    const knowledge = { language, root: TYPES[name], variables: () => variablesOf(texts.envelope) };
    return new Editor(byId(`editor-${name}`, HTMLElement), {
      label: TITLES[name],
      text: texts[name],
      knowledge,
      onChange: (text) => written(name, text),
    });
  }

  function written(name: DocumentName, text: string): void {
    texts = { ...texts, [name]: text };
    leaveLink();
    notice("");
    example.value = "";
    clearTimeout(pause);
    pause = setTimeout(judgeAll, Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, 2 * lastTook)));
  }

  function put(name: DocumentName, text: string): void {
    editors[name].replace(text);
    written(name, text);
  }

  function open(all: Partial<Texts>): void {
    for (const name of DOCUMENT_NAMES) {
      const text = all[name];
      if (text === undefined) continue;
      texts = { ...texts, [name]: text };
      editors[name].replace(text);
    }
    judgeAll();
  }

  /** Judges the documents that the view is about, and shows what comes of it. */
  function judgeAll(): void {
    clearTimeout(pause);
    const start = performance.now();
    keep(texts);
    if (tabs.view !== "compare") unmarkTexts(page);
    if (tabs.view === "compare") showComparison(page, judge, other);
    else if (tabs.view === "plan") showPlan(page);
    else showDecision(page, judge);
    if (tabs.view === "module") void module.show();
    showTimings();
    lastTook = performance.now() - start;
  }

  example.addEventListener("change", () => {
    leaveLink();
    notice("");
    open(textsOf(example.value));
  });
  byId("share", HTMLButtonElement).addEventListener("click", () => void shareLink(tabs.view, texts));
  byId("export", HTMLButtonElement).addEventListener("click", () => exportCase(page, judge));
  byId("copy-policy", HTMLButtonElement).addEventListener("click", () => put("other", texts.policy));
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-format]")) {
    button.addEventListener("click", () => format(page, button.dataset["format"] as DocumentName));
  }
  setUpDrop((file) => {
    tabs.open("module");
    void module.take(file);
  });
  addEventListener("hashchange", () => {
    void openLink().then((link) => {
      if (link === undefined) return;
      tabs.open(viewOf(link.view));
      open(link);
    });
  });
  if (shared !== undefined) tabs.open(viewOf(shared.view));
  example.value = exampleOf(texts, tabs.view);
  judgeAll();
  document.documentElement.dataset["ready"] = "";
  await keepOffline();
}

/** Lays a document out anew. What is no JSON stays as it is: the error is shown already. */
function format(page: Page, name: DocumentName): void {
  if (page.texts()[name].trim() === "") return;
  try {
    page.put(name, formatted(page.texts()[name]));
  } catch {
    notice(`The ${TITLES[name].toLowerCase()} is no JSON, so it cannot be laid out.`);
  }
}

function showTimings(): void {
  const { engine, firstDecision } = timings();
  const took = (milliseconds: number | undefined) => (milliseconds === undefined ? "not yet" : `${milliseconds.toFixed(1)} ms`);
  byId("timing", HTMLElement).textContent = `Engine ${took(engine)} · first decision ${took(firstDecision)}`;
}

start().catch((thrown: unknown) => {
  notice(`The page does not work here: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  throw thrown;
});

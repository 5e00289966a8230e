/** Starts the page, and ties its controls to it. */
import language from "virtual:language";

import "./style/page.css";

import { notice } from "./announce.js";
import { DOCUMENT_NAMES, TITLES, TYPES, recall, type DocumentName, type Texts } from "./documents.js";
import { byId } from "./dom.js";
import { Editor } from "./editor/editor.js";
import { formatted } from "./editor/format.js";
import { loadEngine } from "./engine.js";
import { firstTexts, textsOf } from "./examples.js";
import { keepOffline } from "./offline.js";
import { Playground, type Editors } from "./playground.js";
import { VIEWS, viewOf } from "./tabs.js";
import { setUpTheme } from "./theme.js";
import { variablesOf } from "./variables.js";
import { setUpDrop } from "./views/drop.js";
import { leaveLink, openLink, shareLink } from "./views/link.js";

async function start(): Promise<void> {
  setUpTheme();
  const loading = loadEngine();
  const shared = await openLink();
  // What is written before the engine is there is in the editors when it comes.
  let playground: Playground | undefined;
  const editors = editorsOf(shared ?? recall() ?? firstTexts(), (name, text) => playground?.written(name, text));
  playground = new Playground(await loading, editors);
  setUpControls(playground);
  playground.open({}, shared === undefined ? VIEWS[0] : viewOf(shared.view));
  document.documentElement.dataset["ready"] = "";
  await keepOffline();
}

function editorsOf(texts: Texts, onChange: (name: DocumentName, text: string) => void): Editors {
  const editorOf = (name: DocumentName): Editor => {
    const knowledge = { language, root: TYPES[name], variables: () => variablesOf(editors.envelope.text) };
    const settings = { label: TITLES[name], text: texts[name], knowledge, onChange: (text: string) => onChange(name, text) };
    return new Editor(byId(`editor-${name}`, HTMLElement), settings);
  };
  const editors: Editors = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, editorOf(name)])) as Record<
    DocumentName,
    Editor
  >;
  return editors;
}

function setUpControls(playground: Playground): void {
  const example = byId("example", HTMLSelectElement);
  example.addEventListener("change", () => {
    leaveLink();
    notice("");
    playground.open(textsOf(example.value), playground.view);
  });
  const onClick = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener("click", act);
  onClick("share", () => void shareLink(playground.view, playground.texts()));
  onClick("export", () => playground.exportCase());
  onClick("copy-policy", () => playground.put("other", playground.texts().policy));
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-format]")) {
    button.addEventListener("click", () => format(playground, button.dataset["format"] as DocumentName));
  }
  setUpDrop((file) => playground.take(file));
  addEventListener("hashchange", () => {
    void openLink().then((link) => link && playground.open(link, viewOf(link.view)));
  });
}

/** Lays a document out anew. What is no JSON stays as it is. */
function format(playground: Playground, name: DocumentName): void {
  const text = playground.texts()[name];
  if (text.trim() === "") return;
  let laidOut: string;
  try {
    laidOut = formatted(text);
  } catch {
    notice(`The ${TITLES[name].toLowerCase()} is no JSON, so it cannot be laid out.`);
    return;
  }
  if (laidOut !== text) playground.put(name, laidOut);
}

start().catch((thrown: unknown) => {
  notice(`The page does not work here: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  throw thrown;
});

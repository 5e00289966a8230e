/** Starts the page, and connects its controls. */
import type { Engine } from "adjudicate/slim";
import language from "virtual:language";

import "./style/page.css";

import { notice } from "./announce.js";
import { DOCUMENT_NAMES, TITLES, TYPES, storedTexts, type DocumentName, type Texts } from "./documents.js";
import { byId } from "./dom.js";
import { Editor } from "./editor/editor.js";
import { formatted } from "./editor/format.js";
import { loadEngine } from "./engine.js";
import { firstTexts, textsOf } from "./examples.js";
import { keepOffline } from "./offline.js";
import { Playground, type Editors } from "./playground.js";
import { VIEWS, viewOf } from "./tabs.js";
import { setUpTheme } from "./theme.js";
import { Variables } from "./variables.js";
import { setUpDrop } from "./views/drop.js";
import { leaveLink, openLink, shareLink } from "./views/link.js";

async function start(): Promise<void> {
  setUpTheme();
  const loading = loadEngine();
  const shared = await openLink();
  // The user can type before the engine has loaded.
  let playground: Playground | undefined;
  const engine = () => playground?.engine;
  const editors = editorsOf(shared ?? storedTexts() ?? firstTexts(), engine, (name, text) => playground?.edited(name, text));
  playground = new Playground(await loading, editors);
  setUpControls(playground);
  playground.open({}, shared === undefined ? VIEWS[0] : viewOf(shared.view));
  document.documentElement.dataset["ready"] = "";
  await keepOffline();
}

function editorsOf(
  texts: Texts,
  engine: () => Engine | undefined,
  onChange: (name: DocumentName, text: string) => void,
): Editors {
  const editorOf = (name: DocumentName): Editor => {
    const list = new Variables(language, engine);
    // Only policies have conditions on envelopes. Conditions in plans read other variables.
    const variables = () => (TYPES[name] === "PolicyDocument" ? list.terms(editors.envelope.text, editors[name].text) : []);
    const knowledge = { language, root: TYPES[name], variables };
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
  setUpDrop((file) => playground.loadModule(file));
  addEventListener("hashchange", () => {
    void openLink().then((link) => link && playground.open(link, viewOf(link.view)));
  });
}

/** Formats a document. A text that is not JSON stays unchanged. */
function format(playground: Playground, name: DocumentName): void {
  const text = playground.texts()[name];
  if (text.trim() === "") return;
  let result: string;
  try {
    result = formatted(text);
  } catch {
    notice(`The ${TITLES[name].toLowerCase()} is not JSON, so it cannot be formatted.`);
    return;
  }
  if (result !== text) playground.put(name, result);
}

start().catch((thrown: unknown) => {
  notice(`The page does not work here: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  throw thrown;
});

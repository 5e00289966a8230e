/** Starts the page, and connects its controls. */
import language from "virtual:language";

import "./style/page.css";

import { notice, noticeFailure } from "./announce.js";
import type { Answers } from "./answers.js";
import { DOCUMENT_NAMES, TITLES, TYPES, storedDocuments, type DocumentName, type Texts } from "./documents.js";
import { byId } from "./dom.js";
import { Editor } from "./editor/editor.js";
import { formatted } from "./editor/format.js";
import { loadEngine } from "./engine.js";
import { firstTexts } from "./examples.js";
import { keepOffline } from "./offline.js";
import { Playground, type Editors } from "./playground.js";
import { VIEWS, viewOf } from "./tabs.js";
import { setUpTheme } from "./theme.js";
import { Variables } from "./variables.js";
import { setUpDrop } from "./views/drop.js";
import { openLink, shareLink, type OpenedLink } from "./views/link.js";
import { openFiles, setUpOpening } from "./views/open.js";
import { showUse } from "./views/use.js";
import { showVerdict } from "./views/verdict.js";

async function start(): Promise<void> {
  setUpTheme();
  const loading = loadEngine();
  const link = await openLink();
  const stored = storedDocuments();
  const own = new Set(stored?.own);
  // The user is asked before a link replaces own documents.
  const linked = own.size === 0 ? link?.shared : undefined;
  // The user can type before the engine has loaded.
  let playground: Playground | undefined;
  const answers = () => playground?.answers;
  const editors = editorsOf(linked ?? stored?.texts ?? firstTexts(), answers, (name, text) => {
    own.add(name);
    playground?.edited(name, text);
  });
  playground = new Playground(await loading, editors, own);
  setUpControls(playground);
  await playground.open({}, VIEWS[0]);
  if (link !== undefined) await openLinked(playground, link);
  document.documentElement.dataset["ready"] = "";
  await keepOffline();
}

async function openLinked(playground: Playground, { shared, verdict }: OpenedLink): Promise<void> {
  if (shared !== undefined) await playground.openLinked(shared, viewOf(shared.view));
  else await showVerdict(playground, verdict);
}

function editorsOf(
  texts: Texts,
  answers: () => Answers | undefined,
  onChange: (name: DocumentName, text: string) => void,
): Editors {
  const editorOf = (name: DocumentName): Editor => {
    const list = new Variables(language, () => {
      const found = answers();
      return found === undefined ? undefined : (documents) => found.facts(documents);
    });
    // Only policies have conditions on envelopes. Conditions in plans read other variables.
    const variables = () => 
      TYPES[name] === "PolicyDocument" ? list.terms(editors.envelope.text, editors[name].text) : Promise.resolve([]);
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
  setUpOpening(playground);
  const onClick = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener("click", act);
  onClick("share", () => void shareLink(playground.view, playground.texts()));
  onClick("use", () => showUse(playground.view, playground.texts()));
  onClick("export", () => void playground.exportCase());
  onClick("copy-policy", () => void playground.replace({ other: playground.texts().policy }));
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-format]")) {
    button.addEventListener("click", () => format(playground, button.dataset["format"] as DocumentName));
  }
  setUpDrop((files) => void openFiles(playground, files));
  addEventListener("hashchange", () => {
    void openLink().then((link) => link && openLinked(playground, link));
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
  noticeFailure("The page does not work here", thrown, () => location.reload());
  throw thrown;
});

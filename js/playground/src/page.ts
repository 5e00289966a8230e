/** The parts that all views share: documents, editors, the engine. */
import type { Engine } from "adjudicate/slim";

import type { DocumentName, Texts } from "./documents.js";
import { TITLES } from "./documents.js";
import type { Editor, Remark } from "./editor/editor.js";
import { rangeOf, rangeOfFault, type Fault } from "./editor/range.js";
import { byId } from "./dom.js";
import type { DocumentLinks } from "./parts/pointer.js";

export interface Page {
  readonly engine: Engine;
  readonly editors: Readonly<Record<DocumentName, Editor>>;
  readonly texts: () => Texts;
  /** Replaces the text of a document, as an edit by the user does. */
  readonly put: (document: DocumentName, text: string) => void;
}

/** Returns the links into a document. */
export function linksOf(page: Page, document: DocumentName): DocumentLinks {
  const editor = page.editors[document];
  return {
    document: TITLES[document].toLowerCase(),
    lineAt: (pointer) => editor.lineAt(pointer),
    show: (pointer) => editor.show(rangeOf(editor.text, pointer)),
  };
}

/** Returns the remark for an error, at its range. */
export function remarkOf(page: Page, document: DocumentName, fault: Fault): Remark {
  const range = rangeOfFault(page.editors[document].text, fault);
  return { ...range, severity: "error", message: `${fault.message} (${fault.code})` };
}

/** Shows the state of a document next to its title. */
export function state(document: DocumentName, text: string, isBad = false): void {
  const element = byId(`state-${document}`, HTMLElement);
  element.textContent = text;
  element.classList.toggle("state-bad", isBad);
}

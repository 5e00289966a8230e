/** What all views have at hand: the documents, the editors that hold them, the engine. */
import type { Engine } from "adjudicate/slim";

import type { DocumentName, Texts } from "./documents.js";
import { TITLES } from "./documents.js";
import type { Editor, Remark } from "./editor/editor.js";
import { placeOf, placeOfFault, type Fault } from "./editor/place.js";
import { byId } from "./dom.js";
import type { Leads } from "./parts/pointer.js";

export interface Page {
  readonly engine: Engine;
  readonly editors: Readonly<Record<DocumentName, Editor>>;
  readonly texts: () => Texts;
  /** Puts another text into a document, as if it had been written. */
  readonly put: (document: DocumentName, text: string) => void;
}

/** Where pointers into a document lead. */
export function leadsOf(page: Page, document: DocumentName): Leads {
  const editor = page.editors[document];
  return {
    document: TITLES[document].toLowerCase(),
    lineAt: (pointer) => editor.lineAt(pointer),
    show: (pointer) => editor.show(placeOf(editor.text, pointer)),
  };
}

/** An error as a remark at its place. */
export function remarkOf(page: Page, document: DocumentName, fault: Fault): Remark {
  const place = placeOfFault(page.editors[document].text, fault);
  return { ...place, severity: "error", message: `${fault.message} (${fault.code})` };
}

/** Says beside a document's title how it stands. */
export function state(document: DocumentName, text: string, isBad = false): void {
  const element = byId(`state-${document}`, HTMLElement);
  element.textContent = text;
  element.classList.toggle("state-bad", isBad);
}

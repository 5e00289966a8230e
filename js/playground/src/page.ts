/** The parts that all views share: documents, editors, the engine's answers. */
import type { Answers } from "./answers.js";
import type { DocumentName, Texts } from "./documents.js";
import { TITLES } from "./documents.js";
import type { Editor, Remark } from "./editor/editor.js";
import type { Fault } from "./editor/json-text.js";
import { byId } from "./dom.js";
import type { PolicyTest } from "./policy-tests.js";
import type { DocumentLinks } from "./parts/pointer.js";

export interface Page {
  readonly answers: Answers;
  readonly editors: Readonly<Record<DocumentName, Editor>>;
  readonly texts: () => Texts;
  /** The tests that run under the policy. */
  readonly tests: () => readonly PolicyTest[];
  /** Replaces the text of a document, as an edit by the user does. */
  readonly put: (document: DocumentName, text: string) => void;
  /** Replaces documents. Asks first if the user changed them. Returns false if the user keeps them. */
  readonly replace: (texts: Partial<Texts>) => Promise<boolean>;
}

/** Returns the links into a document. */
export function linksOf(page: Page, document: DocumentName): DocumentLinks {
  const editor = page.editors[document];
  return {
    document: TITLES[document].toLowerCase(),
    lineAt: (pointer) => editor.lineAt(pointer),
    show: (pointer) => editor.show(editor.content.rangeOf(pointer)),
  };
}

/** Returns the remark for an error, at its range. */
export function remarkOf(page: Page, document: DocumentName, fault: Fault): Remark {
  const range = page.editors[document].content.rangeOfFault(fault);
  return { ...range, severity: "error", message: `${fault.message} (${fault.code})` };
}

/** Shows the state of a document next to its title. */
export function state(document: DocumentName, text: string, isBad = false): void {
  const element = byId(`state-${document}`, HTMLElement);
  element.textContent = text;
  element.classList.toggle("state-bad", isBad);
}

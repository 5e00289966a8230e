/** Pointers into documents, as buttons that lead there. */
import { make } from "../dom.js";

/** Where pointers of one document lead. */
export interface Leads {
  /** The name of the document. */
  readonly document: string;
  /** The line that a pointer leads to, from 1. */
  readonly lineAt: (pointer: string) => number;
  /** Goes there. */
  readonly show: (pointer: string) => void;
}

/** A button that leads to a place, with its line. */
export function lead(leads: Leads, pointer: string): HTMLElement {
  return leadTo(pointer === "" ? leads.document : pointer, leads.lineAt(pointer), leads.document, () => leads.show(pointer));
}

/** A button that leads to a line of a document. */
export function leadTo(name: string, line: number, document: string, show: () => void): HTMLElement {
  const where = make("span", { class: "lead-line" }, `line ${line}`, make("span", { class: "hidden" }, ` of the ${document}`));
  return make("button", { type: "button", class: "lead", onclick: show }, make("code", {}, name), " ", where);
}

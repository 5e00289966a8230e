/** Buttons that show the target of a JSON Pointer in an editor. */
import { make } from "../dom.js";

/** The targets of pointers into one document. */
export interface DocumentLinks {
  /** The name of the document. */
  readonly document: string;
  /** Returns the line of a pointer's target, from 1. */
  readonly lineAt: (pointer: string) => number;
  /** Shows the target in the editor. */
  readonly show: (pointer: string) => void;
}

/** Returns a button for a pointer, with the line of its target. */
export function pointerButton(leads: DocumentLinks, pointer: string): HTMLElement {
  return lineButton(pointer === "" ? leads.document : pointer, leads.lineAt(pointer), leads.document, () => leads.show(pointer));
}

/** Returns a button for a line of a document. */
export function lineButton(name: string, line: number, document: string, show: () => void): HTMLElement {
  const where = make("span", { class: "lead-line" }, `line ${line}`, make("span", { class: "hidden" }, ` of the ${document}`));
  return make("button", { type: "button", class: "lead", onclick: show }, make("code", {}, name), " ", where);
}

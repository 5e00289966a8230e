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
  const line = leads.lineAt(pointer);
  const name = pointer === "" ? leads.document : pointer;
  return make(
    "button",
    { type: "button", class: "lead", "aria-label": `Show ${name} in ${leads.document}, line ${line}`, onclick: () => leads.show(pointer) },
    make("code", {}, name),
    make("span", { class: "lead-line" }, `line ${line}`),
  );
}

/** Announces changes to screen readers. */
import { byId, make } from "./dom.js";

/** The pause before an announcement, so that it does not interrupt typing. */
const DELAY_MS = 400;

let timer: ReturnType<typeof setTimeout> | undefined;
let announced = "";
let result = "";

/** Announces a sentence after a pause in typing, unless it equals the last one. */
export function announce(sentence: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (sentence === announced) return;
    announced = sentence;
    byId("announcer", HTMLElement).textContent = sentence;
  }, DELAY_MS);
}

/**
 * Announces the result of the documents, unless it equals the last result. So an evaluation with the same result does not replace another
 * pending sentence.
 */
export function announceResult(sentence: string): void {
  if (sentence === result) return;
  result = sentence;
  announce(sentence);
}

/** Lets the page announce the next result even if it equals the last one, for example after the user opened another view. */
export function forgetResult(): void {
  result = "";
}

/** Shows an error of the page with a button that tries again. */
export function noticeFailure(about: string, thrown: unknown, retry: () => void): void {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  notice(`${about}: ${message}`, make("button", { type: "button", onclick: retry }, "Try again"));
}

/** Shows a sentence above the page with other elements, and announces it. An empty sentence hides it. */
export function notice(sentence: string, ...others: readonly HTMLElement[]): void {
  const element = byId("notice", HTMLElement);
  element.replaceChildren(sentence, ...others);
  element.hidden = sentence === "";
  if (sentence !== "") announce(sentence);
}

/** Telling those who cannot see it what has changed. */
import { byId } from "./dom.js";

/** Long enough that typing is not talked over, short enough to belong to it. */
const DELAY_MS = 400;

let timer: ReturnType<typeof setTimeout> | undefined;
let told = "";

/** Says a sentence, once things have come to rest. What was said last is not said again. */
export function announce(sentence: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (sentence === told) return;
    told = sentence;
    byId("announcer", HTMLElement).textContent = sentence;
  }, DELAY_MS);
}

/** A sentence for everybody, above the page; empty takes it away. */
export function notice(sentence: string): void {
  const element = byId("notice", HTMLElement);
  element.textContent = sentence;
  element.hidden = sentence === "";
  if (sentence !== "") announce(sentence);
}

/** The result in one line at the bottom of small screens, where the result itself is not visible. */
import { byId, make, refill } from "../dom.js";
import { symbol, type Sign } from "./symbol.js";

/** Shows a sign, its word and the next step, with a link to the result. */
export function strip(sign: Sign, word: string, then: string): void {
  const element = byId("strip", HTMLElement);
  element.dataset["sign"] = sign;
  refill(
    element,
    make("span", { class: "hidden" }, "Go to the result: "),
    symbol(sign, 16),
    make("b", {}, word),
    then !== "" && make("code", {}, then),
  );
}

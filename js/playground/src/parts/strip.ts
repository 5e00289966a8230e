/** The result in one line at the lower edge of small screens, where the result itself is out of sight. */
import { byId, make, refill } from "../dom.js";
import { symbol, type Sign } from "./symbol.js";

/** Shows a sign, its word, and what follows from it; leads to the result. */
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

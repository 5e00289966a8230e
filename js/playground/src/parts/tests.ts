/** The results of a policy's tests. */
import { make } from "../dom.js";
import type { TestResult } from "../policy-tests.js";
import { symbol } from "./symbol.js";
import { fill, part } from "./value.js";

/** Returns the element with the results, those that fail first. `open` shows the input of a test. */
export function testList(tests: readonly TestResult[], open: (name: string) => void): HTMLElement {
  const failing = tests.filter(({ failures }) => failures.length > 0);
  const passing = tests.filter(({ failures }) => failures.length === 0);
  const summary = failing.length === 0 ? `All ${tests.length} pass.` : `${failing.length} of ${tests.length} fail.`;
  const item = ({ name, failures }: TestResult) => {
    const isPassed = failures.length === 0;
    const word = make("span", { class: "hidden" }, isPassed ? "passes: " : "fails: ");
    const button = make("button", { type: "button", class: "lead", title: "Open its input", onclick: () => open(name) }, name);
    return make(
      "li",
      { "data-sign": isPassed ? "success" : "error" },
      make("span", { class: "row" }, symbol(isPassed ? "success" : "error", 14), word, button),
      ...failures.map((failure) => make("p", { class: "calm" }, failure)),
    );
  };
  const list = make("ul", { class: "tests", role: "list" });
  const section = part("Tests", tests.length, make("p", {}, summary), list, fill(list, [...failing, ...passing], item));
  section.id = "tests";
  return section;
}

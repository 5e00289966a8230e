/** The allowed steps, each with its role and the source of the role. */
import type { Explanation } from "adjudicate/slim";

import { make } from "../dom.js";
import { SOURCES } from "../route.js";
import { part } from "./value.js";

/** Returns the element with the classification of each allowed step. Returns `null` without an allowed step. */
export function routes({ routes: steps, evaluation }: Explanation): HTMLElement | null {
  if (steps === undefined) return null;
  const rows = steps.map(({ step, role, by }) => {
    const isNext = step === evaluation.decision.next_step;
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, step), isNext && "next step"),
      make("td", {}, role),
      make("td", {}, SOURCES[by]),
    );
  });
  const head = ["step", "role", "source of the role"].map((name) => make("th", { scope: "col" }, name));
  const table = make("table", { class: "routes" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  return part(
    "Allowed steps",
    steps.length,
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Allowed steps" }, table),
  );
}

/** What would have to be otherwise for `success`. */
import type { EvidenceChange, Explanation } from "adjudicate/slim";

import { make } from "../dom.js";
import { lead, type Leads } from "./pointer.js";
import { chip } from "./symbol.js";
import { part, value } from "./value.js";

/** How much of a value is shown: the envelope has the rest. */
const LENGTH = 48;

/** The changes, or why there are none; `apply` makes them in the envelope. */
export function counterfactual(explanation: Explanation, envelope: Leads, apply: () => void): HTMLElement | null {
  const { counterfactual: found, no_counterfactual: none } = explanation;
  if (found === null) {
    if (none === null || none.reason === "success") return null;
    const rules = none.rules.length === 0 ? "" : ` (${none.rules.join(", ")})`;
    return part("What would make it a success", undefined, make("p", { class: "calm" }, `Nothing: ${none.message}${rules}.`));
  }
  const button = make("button", { type: "button", onclick: apply }, "Apply to the envelope");
  const becomes = make(
    "p",
    { class: "becomes" },
    "then ",
    chip(found.status),
    " next step ",
    make("code", {}, found.next_step ?? "none"),
    button,
  );
  const changes = found.changes.map((change) => make("li", {}, ...told(change, envelope)));
  return part(
    "What would make it a success",
    found.changes.length,
    make("ol", { class: "changes", role: "list" }, ...changes),
    becomes,
  );
}

function told({ op, path, value: next, was }: EvidenceChange, envelope: Leads): (Node | string)[] {
  const place = lead(envelope, path);
  const after = make("ins", {}, value(next, LENGTH));
  if (op === "add") return [place, make("span", { class: "turn" }, "added: ", after)];
  const before = make("del", {}, value(was, LENGTH));
  if (op === "remove") return [place, make("span", { class: "turn" }, "removed: ", before)];
  return [
    place,
    make(
      "span",
      { class: "turn" },
      before,
      make("span", { class: "hidden" }, " becomes "),
      make("span", { "aria-hidden": "true" }, " → "),
      after,
    ),
  ];
}

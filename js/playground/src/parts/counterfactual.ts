/** The changes of the evidence that would give `success`. */
import type { EvidenceChange, Explanation } from "adjudicate/slim";

import { make } from "../dom.js";
import { pointerButton, type DocumentLinks } from "./pointer.js";
import { chip } from "./symbol.js";
import { fill, part, value } from "./value.js";

/** The characters of a value that are shown. The envelope has the whole value. */
const LENGTH = 48;

const TITLE = "Changes for success";

/** Returns the element with the changes, or with the reason why there are none. `apply` makes the changes in the envelope. */
export function counterfactual(explanation: Explanation, envelope: DocumentLinks, apply: () => void): HTMLElement | null {
  const { counterfactual: found, no_counterfactual: none } = explanation;
  if (found === null) {
    if (none === null || none.reason === "success") return null;
    const rules = none.rules.length === 0 ? "" : ` (${none.rules.join(", ")})`;
    return part(TITLE, undefined, make("p", { class: "calm" }, `None: ${none.message}${rules}.`));
  }
  const applyButton = make("button", { type: "button", onclick: apply }, "Apply to the envelope");
  const becomes = make(
    "p",
    { class: "becomes" },
    "then ",
    chip(found.status),
    " next step ",
    make("code", {}, found.next_step ?? "none"),
    applyButton,
  );
  const list = make("ol", { class: "changes", role: "list" });
  const others = fill(list, found.changes, (change) => make("li", {}, ...changeContent(change, envelope)));
  return part(TITLE, found.changes.length, list, others, becomes);
}

function changeContent({ op, path, value: next, was }: EvidenceChange, envelope: DocumentLinks): (Node | string)[] {
  const button = pointerButton(envelope, path);
  const after = make("ins", {}, value(next, LENGTH));
  if (op === "add") return [button, make("span", { class: "turn" }, "added: ", after)];
  const before = make("del", {}, value(was, LENGTH));
  if (op === "remove") return [button, make("span", { class: "turn" }, "removed: ", before)];
  return [
    button,
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

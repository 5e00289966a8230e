/** The findings of `check_policy`. */
import type { CheckFinding, Envelope } from "adjudicate/slim";

import { make } from "../dom.js";
import { pointerButton, type DocumentLinks } from "./pointer.js";
import { chip } from "./symbol.js";
import { fill, part } from "./value.js";

/** Returns the element with the findings. `use` replaces the envelope by the example of a finding. */
export function policyFindings(
  findings: readonly CheckFinding[],
  policy: DocumentLinks,
  use: (envelope: Envelope) => void,
): HTMLElement | null {
  if (findings.length === 0) return null;
  const item = ({ code, severity, path, message, hint, witness }: CheckFinding) => {
    const envelope = witness !== null && "envelope" in witness ? witness.envelope : undefined;
    return make(
      "li",
      {},
      make("div", { class: "reason-head" }, chip(severity === "error" ? "error" : "warning", severity), make("h4", {}, code)),
      make("p", { class: "reason-says" }, message, hint === undefined ? "" : `; ${hint}`),
      make(
        "p",
        { class: "row" },
        pointerButton(policy, path),
        envelope !== undefined &&
          make("button", { type: "button", onclick: () => use(envelope) }, "Try the example envelope"),
      ),
    );
  };
  const list = make("ol", { class: "reasons", role: "list" });
  return part("Policy check", findings.length, list, fill(list, findings, item));
}

/** What `check_policy` finds in a policy before any envelope comes. */
import type { CheckFinding, Envelope } from "adjudicate/slim";

import { make } from "../dom.js";
import { lead, type Leads } from "./pointer.js";
import { chip } from "./symbol.js";
import { part } from "./value.js";

/** All findings; `use` puts an envelope that shows one into the editor. */
export function policyFindings(
  findings: readonly CheckFinding[],
  policy: Leads,
  use: (envelope: Envelope) => void,
): HTMLElement | null {
  if (findings.length === 0) return null;
  const items = findings.map(({ code, severity, path, message, hint, witness }) => {
    const envelope = witness !== null && "envelope" in witness ? witness.envelope : undefined;
    return make(
      "li",
      {},
      make("div", { class: "reason-head" }, chip(severity === "error" ? "error" : "warning", severity), make("h4", {}, code)),
      make("p", { class: "reason-says" }, message, hint === undefined ? "" : `; ${hint}`),
      make(
        "p",
        { class: "row" },
        lead(policy, path),
        envelope !== undefined &&
          make("button", { type: "button", onclick: () => use(envelope) }, "Try the envelope that shows it"),
      ),
    );
  });
  return part("Policy check", findings.length, make("ol", { class: "reasons", role: "list" }, ...items));
}

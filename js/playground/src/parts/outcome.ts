/** The rest of a decision: fix instructions, blockers, and the state of the loop. */
import type { Decision, LoopState } from "adjudicate/slim";

import { make } from "../dom.js";
import { formatted } from "../editor/format.js";
import { pointerButton, type DocumentLinks } from "./pointer.js";
import { facts, fill, more, part } from "./value.js";

/** Returns the element with the blockers and the flags. */
export function obstacles({ blockers, risk_flags }: Decision, envelope: DocumentLinks): HTMLElement | null {
  if (blockers.length === 0 && risk_flags.length === 0) return null;
  const flags = risk_flags.map((flag) => make("li", {}, make("code", {}, flag)));
  const row = ({ code, summary, severity, evidence_ref }: Decision["blockers"][number]) => {
    const head = make("span", { class: "severity", "data-severity": severity }, severity);
    return make(
      "li",
      {},
      head,
      make("code", {}, code),
      make("span", { class: "obstacle-says" }, summary),
      pointerButton(envelope, evidence_ref),
    );
  };
  const list = make("ul", { class: "blockers", role: "list" });
  return make(
    "div",
    { class: "obstacles" },
    blockers.length > 0 && part("Blockers", blockers.length, list, fill(list, blockers, row)),
    flags.length > 0 && part("Risk flags", flags.length, make("ul", { class: "flags", role: "list" }, ...flags)),
  );
}

/** Returns the element with the fix instructions. */
export function instructions({ fix_instructions: fix }: Decision): HTMLElement | null {
  if (fix === null) return null;
  const edits = make("ol", { class: "edits", role: "list" });
  const otherEdits = fill(edits, fix.edits, ({ target, action, rationale }) =>
    make("li", {}, make("code", {}, target), make("p", {}, action), make("p", { class: "calm" }, rationale)),
  );
  const checks = make("ul", { class: "edits", role: "list" });
  const otherChecks = fill(checks, fix.verification, ({ command, expected_signal }) =>
    make("li", {}, make("code", {}, command), make("p", { class: "calm" }, expected_signal)),
  );
  const constraints = fix.constraints.map((text) => make("li", {}, text));
  return part(
    "Fix instructions",
    fix.edits.length,
    make("p", {}, fix.objective),
    edits,
    otherEdits,
    constraints.length > 0 && more(`Constraints, ${constraints.length}`, "constraints", make("ul", {}, ...constraints)),
    fix.verification.length > 0 && more(`Verification, ${fix.verification.length}`, "verification", checks, otherChecks),
  );
}

/** Returns the element with the state of the loop. */
export function loop({ consecutive_partials, review_completed, refinement, escalation }: LoopState): HTMLElement {
  return part(
    "Loop",
    undefined,
    facts([
      ["partials in a row", String(consecutive_partials)],
      ["review", review_completed ? "completed" : "none"],
      ["refinements", `${refinement.spent} of ${refinement.cap} spent${refinement.requested ? ", another is requested" : ""}`],
      ["escalation", escalation === null ? "none" : `${escalation.reason}: ${escalation.from} becomes ${escalation.to}`],
    ]),
  );
}

/** Returns the element with the engine's own text, formatted by white space only. */
export function raw(title: string, answer: string): HTMLElement {
  const text = make("pre", { tabindex: 0, role: "region", "aria-label": title }, formatted(answer));
  return more(title, `raw ${title}`, text);
}

/** Why a decision is what it is: findings, each with what it was held against and who overruled it. */
import type { ConditionPart, Explanation, Finding, Reason } from "adjudicate/slim";

import { make } from "../dom.js";
import { lead, type Leads } from "./pointer.js";
import { chip, symbol } from "./symbol.js";
import { more, part, value } from "./value.js";

/** All reasons, those that decided first. */
export function reasons(explanation: Explanation, envelope: Leads, policy: Leads): HTMLElement {
  const { findings } = explanation.evaluation;
  // One for each finding, in their order.
  const rows = explanation.reasons.map((reason, at) => ({ reason, finding: findings[at], at }));
  const weight = ({ reason }: { reason: Reason }) => (reason.decisive ? 0 : reason.mode === "monitor" ? 2 : 1);
  rows.sort((a, b) => weight(a) - weight(b) || a.at - b.at);
  if (rows.length === 0) return part("Reasons", 0, make("p", { class: "calm" }, "No rule has found anything."));
  const items = rows.map(({ reason, finding, at }) => item(reason, finding, at, envelope, policy));
  return part("Reasons", rows.length, make("ol", { class: "reasons", role: "list" }, ...items));
}

function item(reason: Reason, finding: Finding | undefined, at: number, envelope: Leads, policy: Leads): HTMLElement {
  const { rule, status, expected, actual, evidence_ref, conditions } = reason;
  const hint = finding?.resolution.hint;
  return make(
    "li",
    { class: "reason", "data-sign": status, ...(reason.decisive ? { "data-decisive": true } : {}) },
    make("div", { class: "reason-head" }, symbol(status, 14), make("h4", {}, rule), chip(status), standing(reason)),
    make("p", { class: "reason-says" }, finding?.summary ?? ""),
    make("p", { class: "reason-held" }, held("expected", expected), held("found", actual), lead(envelope, evidence_ref)),
    hint !== undefined && make("p", { class: "reason-hint" }, hint),
    conditions !== undefined &&
      more(
        `Condition, ${conditions.length === 1 ? "1 part" : `${conditions.length} parts`}`,
        `condition-${at}`,
        parts(conditions, policy),
      ),
  );
}

function held(word: string, what: unknown): HTMLElement {
  return make("span", {}, `${word} `, value(what));
}

/** Whether it decided, or else what became of it. */
function standing({ decisive, overruled_by, mode }: Reason): HTMLElement {
  const says =
    mode === "monitor" ? "monitored, counts for nothing" : decisive ? "decided" : `overruled by ${overruled_by ?? "another"}`;
  return make("span", { class: decisive ? "standing standing-decided" : "standing" }, says);
}

function parts(conditions: readonly ConditionPart[], policy: Leads): HTMLElement {
  const words = { true: "holds", false: "does not hold", null: "unknown" };
  const rows = conditions.map(({ path, operator, holds, operands }) => {
    const shownOperands = operands.map((operand) => (operand.state === "known" ? operand.value : operand.state));
    return make(
      "tr",
      {},
      make("td", {}, lead(policy, path)),
      make("td", {}, make("code", {}, operator ?? "constant")),
      make("td", {}, value(shownOperands)),
      make("td", {}, words[`${holds}`]),
    );
  });
  const head = ["part", "operator", "on", "result"].map((name) => make("th", { scope: "col" }, name));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parts of the condition" }, table);
}

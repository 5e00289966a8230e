/** The reasons of a decision: its findings, each with the expected and actual values and the rule that overruled it. */
import pages from "virtual:rules";

import type { ConditionPart, Explanation, Finding, Operand, Reason } from "adjudicate/slim";

import { make } from "../dom.js";
import { pointerButton, type DocumentLinks } from "./pointer.js";
import { chip, symbol } from "./symbol.js";
import { fill, more, part, value } from "./value.js";

/**
 * Returns the element with all reasons, the decisive ones first.
 *
 * @param rules The JSON Pointers of the policy's rules, by their ids.
 */
export function reasons(
  explanation: Explanation,
  envelope: DocumentLinks,
  policy: DocumentLinks,
  rules: ReadonlyMap<string, string>,
): HTMLElement {
  const { findings } = explanation.evaluation;
  // The reasons have the order of the findings, one for each.
  const rows = explanation.reasons.map((reason, at) => ({ reason, finding: findings[at], at }));
  const weight = ({ reason }: { reason: Reason }) => (reason.decisive ? 0 : reason.mode === "monitor" ? 2 : 1);
  rows.sort((a, b) => weight(a) - weight(b) || a.at - b.at);
  if (rows.length === 0) return part("Reasons", 0, make("p", { class: "calm" }, "No findings."));
  const list = make("ol", { class: "reasons", role: "list" });
  return part("Reasons", rows.length, list, fill(list, rows, (row) => item({ ...row, envelope, policy, origin: rules.get(row.reason.rule) })));
}

/** A reason, with its links. */
interface ReasonItem {
  readonly reason: Reason;
  readonly finding: Finding | undefined;
  readonly at: number;
  readonly envelope: DocumentLinks;
  readonly policy: DocumentLinks;
  /** The pointer of the policy's rule that gave it. */
  readonly origin: string | undefined;
}

function item({ reason, finding, at, envelope, policy, origin }: ReasonItem): HTMLElement {
  const { rule, status, expected, actual, evidence_ref, conditions } = reason;
  const hint = finding?.resolution.hint;
  // The reason of a policy's rule concerns the whole envelope if it names no part of it.
  const links = [
    (origin === undefined || evidence_ref !== "") && pointerButton(envelope, evidence_ref),
    origin !== undefined && pointerButton(policy, origin),
  ];
  return make(
    "li",
    { class: "reason", "data-sign": status, ...(reason.decisive ? { "data-decisive": true } : {}) },
    make("div", { class: "reason-head" }, symbol(status, 14), make("h4", {}, named(rule)), chip(status), standing(reason)),
    make("p", { class: "reason-says" }, finding?.summary ?? ""),
    make("p", { class: "reason-held" }, held("expected", expected), held("found", actual), ...links),
    hint !== undefined && make("p", { class: "reason-hint" }, hint),
    conditions !== undefined &&
      more(
        `Condition, ${conditions.length === 1 ? "1 part" : `${conditions.length} parts`}`,
        `condition-${at}`,
        parts(conditions, policy),
      ),
  );
}

const PAGES = new Map(Object.entries(pages));

/** Returns the name of a rule: for a built-in rule, with a link to its documentation. */
function named(rule: string): HTMLElement | string {
  const href = PAGES.get(rule);
  return href === undefined ? rule : make("a", { href }, rule);
}

function held(word: string, what: unknown): HTMLElement {
  return make("span", {}, `${word} `, value(what));
}

/** Returns the element with the effect of a reason: it decided, or another rule overruled it. */
function standing({ decisive, overruled_by, mode }: Reason): HTMLElement {
  const says =
    mode === "monitor" ? "monitored, no effect" : decisive ? "decided" : `overruled by ${overruled_by ?? "another"}`;
  return make("span", { class: decisive ? "standing standing-decided" : "standing" }, says);
}

/** Returns a value, or the state of one that is not known. */
function known({ state, value }: Operand): unknown {
  return state === "known" ? value : state;
}

function parts(conditions: readonly ConditionPart[], policy: DocumentLinks): HTMLElement {
  const words = { true: "holds", false: "does not hold", null: "unknown" };
  const row = ({ path, operator, holds, operands, variables }: ConditionPart) =>
    make(
      "tr",
      {},
      make("td", {}, pointerButton(policy, path)),
      make("td", {}, make("code", {}, operator ?? "constant")),
      make("td", {}, value(operands.map(known))),
      make("td", {}, ...variables.map((input) => make("div", {}, make("code", {}, input.variable), " is ", value(known(input))))),
      make("td", {}, words[`${holds}`]),
    );
  const head = ["part", "operator", "on", "variables", "result"].map((name) => make("th", { scope: "col" }, name));
  const body = make("tbody");
  const button = fill(body, conditions, row);
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), body);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parts of the condition" }, table, button);
}

/** The view of two versions of a policy: what each decides about the envelope, and what of it has changed. */
import type { Status } from "adjudicate/slim";
import { presentableDiff } from "@codemirror/merge";

import { announce } from "../announce.js";
import { compare, countOfChanges, type Line, type Mark } from "../difference.js";
import { byId, make, refill } from "../dom.js";
import type { Decided, Judge, Outcome, Refused } from "../judge.js";
import { remarkOf, state, type Page } from "../page.js";
import { strip } from "../parts/strip.js";
import { chip } from "../parts/symbol.js";
import { more, part } from "../parts/value.js";
import { verdict } from "../parts/verdict.js";
import { refused, remarkPolicy } from "./decide.js";

/** Limits of the comparison of texts: what takes longer is shown more roughly. */
const PATIENCE = { scanLimit: 500, timeout: 200 };

/** Signs of marks, for those who do not see colours. */
const SIGNS: Readonly<Record<Mark, string>> = { same: "=", changed: "≠", added: "+", removed: "−" };

/** Shows both decisions, and what has changed. */
export function showComparison(page: Page, judge: Judge, other: Judge): void {
  const texts = page.texts();
  judge.take(texts.policy);
  other.take(texts.other);
  const [before, after] = [judge.judge(texts.envelope), other.judge(texts.envelope)];
  remarkPolicy(page, "policy", judge.checked, texts.policy);
  remarkPolicy(page, "other", other.checked, texts.other);
  // Under a policy that cannot be read the envelope is not looked at; the other one may be.
  const fault = [before, after].find(
    (outcome): outcome is Refused => outcome.fault !== undefined && outcome.document === "envelope",
  )?.fault;
  page.editors.envelope.remark(fault === undefined ? [] : [remarkOf(page, "envelope", fault)]);
  state("envelope", fault === undefined ? "" : "cannot be read", fault !== undefined);
  markTexts(page);
  refill(byId("result-compare", HTMLElement), sides(page, before, after), changes(before, after));
}

/** Marks the lines in which the two texts differ. */
function markTexts(page: Page): void {
  const { policy, other } = page.editors;
  const differences = presentableDiff(policy.text, other.text, PATIENCE);
  policy.differ(differences.map(({ fromA, toA }) => ({ from: fromA, to: toA })));
  other.differ(differences.map(({ fromB, toB }) => ({ from: fromB, to: toB })));
}

/** Takes the marks away. */
export function unmarkTexts(page: Page): void {
  page.editors.policy.differ([]);
}

function sides(page: Page, before: Outcome, after: Outcome): HTMLElement {
  return make("div", { class: "sides" }, side(page, "Policy", before, "policy"), side(page, "Other version", after, "other"));
}

function side(page: Page, title: string, outcome: Outcome, document: "policy" | "other"): HTMLElement {
  const at = outcome.fault !== undefined && outcome.document === "policy" ? document : "envelope";
  const shown = outcome.fault === undefined ? verdict(outcome.evaluation) : refused(page, outcome.fault, at);
  return make("section", { "aria-label": `Decision by ${title.toLowerCase()}` }, make("h3", {}, title), shown);
}

function changes(before: Outcome, after: Outcome): HTMLElement {
  if (before.fault !== undefined || after.fault !== undefined) {
    const sentence = "Nothing is compared: there are not two decisions.";
    announce(sentence);
    strip("error", "no comparison", "");
    return part("What changes", undefined, make("p", { class: "calm" }, sentence));
  }
  const lines = compare(before.evaluation, after.evaluation);
  const count = countOfChanges(lines);
  const { status } = after.evaluation.decision;
  strip(status, count === 0 ? "the same" : `${before.evaluation.decision.status} → ${status}`, `${count} changes`);
  announce(sentence(before, after, count));
  const [same, different] = [lines.filter(({ mark }) => mark === "same"), lines.filter(({ mark }) => mark !== "same")];
  return part(
    "What changes",
    count,
    count === 0
      ? make("p", { class: "calm" }, "Both versions decide the same about this envelope.")
      : table(different, "What changes between the versions"),
    same.length > 0 && more(`The same in both, ${same.length}`, "same", table(same, "What is the same in both versions")),
  );
}

function sentence(before: Decided, after: Decided, count: number): string {
  const [one, two] = [before.evaluation.decision.status, after.evaluation.decision.status];
  const statuses = one === two ? `both decide ${one}` : `${one} becomes ${two}`;
  return `Comparison: ${statuses}, ${count === 1 ? "1 change" : `${count} changes`}`;
}

/** A table; its roles are said, for small screens lay its rows out otherwise, and some browsers then forget them. */
function table(lines: readonly Line[], label: string): HTMLElement {
  const head = ["Change", "What", "Policy", "Other version"].map((name, at) =>
    make("th", { scope: "col", role: "columnheader" }, at === 0 ? make("span", { class: "hidden" }, name) : name),
  );
  return make(
    "table",
    { class: "changes-table", role: "table", "aria-label": label },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head)),
    make("tbody", { role: "rowgroup" }, ...lines.map(row)),
  );
}

function row({ part: sort, name, before, after, mark }: Line): HTMLElement {
  const cell = (text: string | undefined, isOld: boolean) => {
    if (text === undefined) return make("td", { class: "absent", role: "cell" }, "not there");
    const content = sort === "status" ? chip(text as Status) : text;
    return make("td", { role: "cell" }, make(mark === "same" ? "span" : isOld ? "del" : "ins", {}, content));
  };
  return make(
    "tr",
    { "data-mark": mark, role: "row" },
    make(
      "td",
      { class: "mark", role: "cell" },
      make("span", { "aria-hidden": "true" }, SIGNS[mark]),
      make("span", { class: "hidden" }, mark),
    ),
    make("th", { scope: "row", role: "rowheader" }, sort, name === "" ? "" : make("code", {}, name)),
    cell(before, true),
    cell(after, false),
  );
}

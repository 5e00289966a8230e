/** The view of two versions of a policy: both decisions on the envelope, and their differences. */
import type { Status } from "adjudicate/slim";
import { presentableDiff } from "@codemirror/merge";

import { announceResult } from "../announce.js";
import type { Decided, DecidedOutcome, FailedOutcome, Outcome } from "../answers.js";
import { compare, countOfChanges, type Line, type Mark } from "../difference.js";
import { byId, make, refill } from "../dom.js";
import { remarkOf, state, type Page } from "../page.js";
import { strip } from "../parts/strip.js";
import { chip } from "../parts/symbol.js";
import { fill, more, part } from "../parts/value.js";
import { earlier, verdict } from "../parts/verdict.js";
import { refused, remarkPolicy } from "./decide.js";

/** Limits of the comparison of texts. Beyond them, the differences are coarser. */
const PATIENCE = { scanLimit: 500, timeout: 20 };

/** Signs of marks, in addition to their colors. */
const SIGNS: Readonly<Record<Mark, string>> = { same: "=", changed: "≠", added: "+", removed: "−" };

/** Asks for both decisions. Returns the function that shows them and their differences. */
export async function askComparison(page: Page): Promise<() => void> {
  const { envelope, policy, other } = page.texts();
  const [before, after] = await Promise.all([
    page.answers.decide({ envelope, policy }),
    page.answers.decide({ envelope, policy: other }),
  ]);
  return () => showComparison(page, before, after);
}

/** The parts of the last comparison. They stay on the page, dimmed, while a document has an error. */
let lastComparison: readonly HTMLElement[] = [];

function showComparison(page: Page, policy: Decided, other: Decided): void {
  const [before, after] = [policy.outcome, other.outcome];
  remarkPolicy(page, "policy", policy.check);
  remarkPolicy(page, "other", other.check);
  // With an invalid policy, the envelope is not evaluated. The other version may still report an error of it.
  const fault = [before, after].find(
    (outcome): outcome is FailedOutcome => outcome.fault !== undefined && outcome.document === "envelope",
  )?.fault;
  page.editors.envelope.remark(fault === undefined ? [] : [remarkOf(page, "envelope", fault)]);
  state("envelope", fault === undefined ? "" : "invalid", fault !== undefined);
  markTexts(page);
  const parts = [sides(page, before, after), changes(before, after)];
  const isWhole = before.fault === undefined && after.fault === undefined;
  if (isWhole) lastComparison = parts;
  refill(byId("result-compare", HTMLElement), ...parts, !isWhole && earlier("comparison", lastComparison));
}

/** Marks the lines in which the two texts differ. */
function markTexts(page: Page): void {
  const { policy, other } = page.editors;
  const differences = presentableDiff(policy.text, other.text, PATIENCE);
  policy.markDifferences(differences.map(({ fromA, toA }) => ({ from: fromA, to: toA })));
  other.markDifferences(differences.map(({ fromB, toB }) => ({ from: fromB, to: toB })));
}

/** Removes the marks. */
export function unmarkTexts(page: Page): void {
  page.editors.policy.markDifferences([]);
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
    const sentence = "No comparison: one of the versions has no decision.";
    announceResult(sentence);
    strip("error", "no comparison", "");
    return part("Differences", undefined, make("p", { class: "calm" }, sentence));
  }
  const lines = compare(before.evaluation, after.evaluation);
  const count = countOfChanges(lines);
  const { status } = after.evaluation.decision;
  strip(status, count === 0 ? "the same" : `${before.evaluation.decision.status} → ${status}`, `${count} changes`);
  announceResult(sentence(before, after, count));
  const [same, different] = [lines.filter(({ mark }) => mark === "same"), lines.filter(({ mark }) => mark !== "same")];
  return part(
    "Differences",
    count,
    ...(count === 0
      ? [make("p", { class: "calm" }, "Both versions have the same decision on this envelope.")]
      : table(different, "Differences between the versions")),
    same.length > 0 && more(`The same in both, ${same.length}`, "same", ...table(same, "Equal parts of both versions")),
  );
}

function sentence(before: DecidedOutcome, after: DecidedOutcome, count: number): string {
  const [one, two] = [before.evaluation.decision.status, after.evaluation.decision.status];
  const statuses = one === two ? `both decide ${one}` : `${one} becomes ${two}`;
  return `Comparison: ${statuses}, ${count === 1 ? "1 change" : `${count} changes`}`;
}

/** Returns a table. Its roles are explicit, because some browsers drop them when the style changes `display` on small screens. */
function table(lines: readonly Line[], label: string): (HTMLElement | false)[] {
  const head = ["Change", "Part", "Policy", "Other version"].map((name, at) =>
    make("th", { scope: "col", role: "columnheader" }, at === 0 ? make("span", { class: "hidden" }, name) : name),
  );
  const body = make("tbody", { role: "rowgroup" });
  const others = fill(body, lines, row);
  const thead = make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head));
  return [make("table", { class: "changes-table", role: "table", "aria-label": label }, thead, body), others];
}

function row({ part: sort, name, before, after, mark }: Line): HTMLElement {
  const cell = (text: string | undefined, isOld: boolean) => {
    if (text === undefined) return make("td", { class: "absent", role: "cell" }, "absent");
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

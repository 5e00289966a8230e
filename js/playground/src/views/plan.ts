/** The view of a plan: the graph with diagnostics on its nodes, and the list of all diagnostics. */
import type { PlanAnswer, PlanDiagnostic } from "adjudicate/slim";

import { announce, announceResult } from "../announce.js";
import type { PlanOutcome } from "../answers.js";
import { byId, make, refill, type Child } from "../dom.js";
import { patched } from "../editor/patch.js";
import type { Json } from "../json.js";
import { linksOf, remarkOf, state, type Page } from "../page.js";
import { drawing, SIGN_OF } from "../parts/drawing.js";
import { raw } from "../parts/outcome.js";
import { pointerButton } from "../parts/pointer.js";
import { strip } from "../parts/strip.js";
import { chip, symbol } from "../parts/symbol.js";
import { facts, fill, part, value } from "../parts/value.js";
import { earlier } from "../parts/verdict.js";
import { editsOf } from "../plan-edits.js";
import { diagnosticsOf, drawingOf, type DrawnNode } from "../plan.js";
import { refused } from "./decide.js";

/** The selected node. If set, the list shows only its diagnostics. */
let selected: string | undefined;

/** The parts of the last verdict. They stay on the page, dimmed, while the plan has an error. */
let lastVerdict: readonly Child[] = [];

/** Asks for the answer about the plan. Returns the function that shows it. */
export async function askPlan(page: Page): Promise<() => void> {
  const text = page.texts().plan;
  const outcome = await page.answers.plan(text);
  return () => showPlan(page, text, outcome);
}

function showPlan(page: Page, text: string, outcome: PlanOutcome): void {
  const pane = byId("result-plan", HTMLElement);
  if (outcome.fault !== undefined) {
    const { fault } = outcome;
    page.editors.plan.remark([remarkOf(page, "plan", fault)]);
    state("plan", "invalid", true);
    refill(pane, refused(page, fault, "plan"), earlier("verdict", lastVerdict));
    strip("error", "no answer", fault.code);
    announceResult(`No answer: ${fault.message}`);
    return;
  }
  page.editors.plan.remark([]);
  state("plan", "");
  const { answer } = outcome;
  show(page, pane, { answer, answered: outcome.text, call: JSON.parse(text) as Json });
  const { status, satisfactionScore } = answer.payload;
  strip(status, status, `${diagnosticsOf(answer).length} diagnostics`);
  announceResult(`Plan: ${status}, ${diagnosticsOf(answer).length} diagnostics, satisfaction ${satisfactionScore}`);
}

/** An answer, its text, and its call. */
interface PlanResult {
  readonly answer: PlanAnswer;
  readonly answered: string;
  readonly call: Json;
}

function show(page: Page, pane: HTMLElement, judged: PlanResult): void {
  const { answer, answered, call } = judged;
  const diagnostics = diagnosticsOf(answer);
  const plan = drawingOf(call, diagnostics);
  if (!plan.nodes.some(({ id }) => id === selected)) selected = undefined;
  const select = (node: DrawnNode) => {
    selected = selected === node.id ? undefined : node.id;
    show(page, pane, judged);
    pane.querySelector<HTMLElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus();
    announce(
      selected === undefined ? "All diagnostics are shown" : `Diagnostics of ${node.id} are shown: ${node.diagnostics.length}`,
    );
  };
  const { scrollLeft, scrollTop } = pane.querySelector(".graph") ?? { scrollLeft: 0, scrollTop: 0 };
  lastVerdict = [
    heading(answer, plan.nodes.length, plan.edges.length),
    part("Graph", undefined, drawing(plan, selected, select)),
    scores(answer),
    list(
      page,
      call,
      plan.nodes,
      diagnostics,
      () => selected !== undefined && select({ id: selected, about: "", pointer: undefined, diagnostics }),
    ),
    raw("Answer of validate_plan, as JSON", answered),
  ];
  refill(pane, ...lastVerdict);
  pane.querySelector(".graph")?.scrollTo(scrollLeft, scrollTop);
}

function heading({ event, payload }: PlanAnswer, nodes: number, edges: number): HTMLElement {
  const score = `${(payload.satisfactionScore * 100).toFixed(0)} %`;
  const { failures, warnings, infos } = payload;
  return make(
    "div",
    { class: "verdict", "data-sign": payload.status },
    symbol(payload.status, 30),
    make("h3", { class: "verdict-word" }, payload.status),
    make("p", { class: "verdict-next" }, "satisfied ", make("b", {}, score), ", event ", make("code", {}, event)),
    make(
      "p",
      { class: "verdict-by" },
      `${failures.length} hard · ${warnings.length} soft · ${infos.length} advice · ${nodes} nodes, ${edges} edges`,
    ),
  );
}

/** Returns the element with the score of each constraint. */
function scores({ payload }: PlanAnswer): HTMLElement {
  const rows = payload.constraintScores.map(({ constraintId, severity, score }) => {
    const text = score === null ? "not scored" : `score ${score}`;
    return [constraintId, make("span", { class: "row" }, chip(SIGN_OF[severity] ?? "info", severity), text)] as const;
  });
  if (rows.length === 0) return part("Constraints", 0, make("p", { class: "calm" }, "The task has no constraints."));
  return part("Constraints", rows.length, facts(rows));
}

function list(page: Page, call: Json, nodes: readonly DrawnNode[], diagnostics: readonly PlanDiagnostic[], all: () => void): HTMLElement {
  const node = nodes.find(({ id }) => id === selected);
  const shown = node === undefined ? diagnostics : node.diagnostics;
  const back =
    node !== undefined &&
    make("p", { class: "row" }, `of ${node.id} `, make("button", { type: "button", onclick: all }, "Show all"));
  if (shown.length === 0) return part("Diagnostics", 0, back, make("p", { class: "calm" }, "No diagnostics."));
  const list = make("ol", { class: "reasons", role: "list" });
  return part("Diagnostics", shown.length, back, list, fill(list, shown, (diagnostic) => item(page, nodes, diagnostic, call)));
}

function item(page: Page, nodes: readonly DrawnNode[], diagnostic: PlanDiagnostic, call: Json): HTMLElement {
  const { severity, cause, nodeId, capabilityId, constraint, constraintId, suggestion, details, status } = diagnostic;
  const pointer = nodes.find(({ id, pointer: found }) => id === nodeId && found !== undefined)?.pointer;
  const at = pointer !== undefined ? pointerButton(linksOf(page, "plan"), pointer) : nodeId;
  const { code, ...rest } = details ?? {};
  const rows = [
    ["node", at],
    ["capability", capabilityId],
    [
      "constraint",
      constraint === undefined ? undefined : `${constraint}${constraintId === undefined ? "" : ` (${constraintId})`}`,
    ],
    ...Object.entries(rest).map(([name, what]) => [name, value(what)] as const),
  ] as const;
  return make(
    "li",
    { class: "reason" },
    make(
      "div",
      { class: "reason-head" },
      symbol(SIGN_OF[severity] ?? "info", 14),
      make("h4", {}, code ?? cause),
      chip(SIGN_OF[severity] ?? "info", severity),
      make("span", { class: "standing" }, `${cause}, ${status}`),
    ),
    ...(suggestion ?? "").split("\n").filter(Boolean).map((line) => suggested(page, call, line)),
    facts(rows),
  );
}

/** Returns the element with one suggestion. The page can apply those that leave no choice. */
function suggested(page: Page, call: Json, line: string): HTMLElement {
  const edits = editsOf(call, line);
  const apply = () => {
    page.put("plan", patched(page.texts().plan, edits ?? []));
    const { content } = page.editors.plan;
    page.editors.plan.markDifferences((edits ?? []).map(({ path }) => content.rangeOf(path)));
    const [first] = edits ?? [];
    // The button was removed with its diagnostic, so the focus moves to the change.
    if (first !== undefined) page.editors.plan.show(content.rangeOf(first.path));
    announce(`Applied: ${line}`);
  };
  const button = edits !== undefined && make("button", { type: "button", class: "quiet", onclick: apply }, "Apply");
  return make("p", { class: "reason-says" }, line, button);
}

/** The view of one decision: what it is, why, and what would have to change. */
import type { CheckFinding, Envelope } from "adjudicate/slim";

import { announce } from "../announce.js";
import { TITLES, type DocumentName } from "../documents.js";
import { byId, refill } from "../dom.js";
import type { Remark } from "../editor/editor.js";
import { patched } from "../editor/patch.js";
import { briefPlaceOf, lineOf, placeOfFault, type Fault } from "../editor/place.js";
import { pretty } from "../json.js";
import type { Checked, Decided, Judge, Outcome } from "../judge.js";
import { leadsOf, remarkOf, state, type Page } from "../page.js";
import { counterfactual } from "../parts/counterfactual.js";
import { policyFindings } from "../parts/findings.js";
import { instructions, loop, obstacles, raw } from "../parts/outcome.js";
import { leadTo } from "../parts/pointer.js";
import { reasons } from "../parts/reasons.js";
import { strip } from "../parts/strip.js";
import { refusal, verdict } from "../parts/verdict.js";

/** Shows what became of the envelope; answers with it. */
export function showDecision(page: Page, judge: Judge): Outcome {
  const { envelope, policy } = page.texts();
  judge.take(policy);
  const outcome = judge.judge(envelope);
  const { checked } = judge;
  remark(page, outcome, checked, policy);
  const pane = byId("result-decide", HTMLElement);
  if (outcome.fault !== undefined) {
    refill(pane, refused(page, outcome.fault, outcome.document));
    strip("error", "no answer", outcome.fault.code);
    const line = lineOfFault(page, outcome.fault, outcome.document);
    announce(`No answer: ${outcome.fault.message}, line ${line} of the ${outcome.document}`);
  } else {
    refill(pane, ...decided(page, outcome, checked.fault === undefined ? checked.findings : []));
    strip(
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.next_step ?? "none",
    );
    announce(sentence(outcome));
  }
  return outcome;
}

/** A refusal with the way to its place. */
export function refused(page: Page, fault: Fault, document: DocumentName): HTMLElement {
  const { text } = page.editors[document];
  const place = placeOfFault(text, fault);
  const where = leadTo(
    `error in the ${TITLES[document].toLowerCase()}`,
    lineOf(text, place.from),
    TITLES[document].toLowerCase(),
    () => page.editors[document].show(place),
  );
  return refusal(fault, where, looksLikeYaml(fault, text) ? "Documents are JSON here. The command reads YAML, too." : "");
}

/** Whether somebody has put in what only the command reads. */
function looksLikeYaml({ code }: Fault, text: string): boolean {
  return code === "malformed_json" && /^\s*(?:#.*\n\s*|---\s*)*[\w-]+\s*:/.test(text);
}

/** Marks in a policy's editor what is wrong with it. */
export function remarkPolicy(page: Page, document: "policy" | "other", checked: Checked, text: string): void {
  const editor = page.editors[document];
  if (checked.fault !== undefined) {
    editor.remark([remarkOf(page, document, checked.fault)]);
    state(document, "cannot be read", true);
    return;
  }
  editor.remark(checked.findings.map((finding) => remarkOn(editor.text, finding)));
  const count = checked.findings.length;
  state(
    document,
    text.trim() === "" ? "none: built-in rules only" : count === 0 ? "checked, nothing found" : `${count} found by the check`,
  );
}

function remark(page: Page, outcome: Outcome, checked: Checked, policy: string): void {
  remarkPolicy(page, "policy", checked, policy);
  const isRefused = outcome.fault !== undefined && outcome.document === "envelope";
  page.editors.envelope.remark(isRefused ? [remarkOf(page, "envelope", outcome.fault)] : []);
  state("envelope", isRefused ? "cannot be read" : "", isRefused);
}

function remarkOn(text: string, { path, severity, message, hint, code }: CheckFinding): Remark {
  return { ...briefPlaceOf(text, path), severity, message: `${message}${hint === undefined ? "" : `; ${hint}`} (${code})` };
}

function lineOfFault(page: Page, fault: Fault, document: DocumentName): number {
  const { text } = page.editors[document];
  return lineOf(text, placeOfFault(text, fault).from);
}

function decided(page: Page, outcome: Decided, findings: readonly CheckFinding[]): (HTMLElement | null)[] {
  const { evaluation, explanation, milliseconds } = outcome;
  const envelope = leadsOf(page, "envelope");
  const policy = leadsOf(page, "policy");
  const apply = () => {
    const changes = explanation.counterfactual?.changes ?? [];
    page.put("envelope", patched(page.texts().envelope, changes));
    // The button is gone with what it was about.
    byId("result", HTMLElement).focus();
  };
  const use = (witness: Envelope) => page.put("envelope", pretty(witness));
  return [
    verdict(evaluation, `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`),
    reasons(explanation, envelope, policy),
    counterfactual(explanation, envelope, apply),
    obstacles(evaluation.decision, envelope),
    instructions(evaluation.decision),
    policyFindings(findings, policy, use),
    loop(evaluation.loop),
    raw("Answer of evaluate, as JSON", outcome.answer),
  ];
}

/** A decision in one sentence. */
export function sentence({ evaluation }: Decided): string {
  const { decision, findings } = evaluation;
  const count = findings.length === 1 ? "1 reason" : `${findings.length} reasons`;
  return `Decision: ${decision.status}, next step ${decision.next_step ?? "none"}, ${count}`;
}

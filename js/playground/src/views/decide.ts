/** The view of one decision: the decision, its reasons, and the changes that lead to success. */
import type { CheckFinding, Envelope } from "adjudicate/slim";

import { announceResult } from "../announce.js";
import { TITLES, type DocumentName } from "../documents.js";
import { byId, refill } from "../dom.js";
import type { Remark } from "../editor/editor.js";
import { patched } from "../editor/patch.js";
import { shortRangeOf, lineOf, rangeOfFault, type Fault } from "../editor/range.js";
import { pretty } from "../json.js";
import type { PolicyCheck, DecidedOutcome, Evaluator, Outcome } from "../evaluator.js";
import { linksOf, remarkOf, state, type Page } from "../page.js";
import { counterfactual } from "../parts/counterfactual.js";
import { policyFindings } from "../parts/findings.js";
import { instructions, loop, obstacles, raw } from "../parts/outcome.js";
import { lineButton } from "../parts/pointer.js";
import { reasons } from "../parts/reasons.js";
import { strip } from "../parts/strip.js";
import { refusal, verdict } from "../parts/verdict.js";

/** Shows the outcome of the envelope, and returns it. */
export function showDecision(page: Page, evaluator: Evaluator): Outcome {
  const { envelope, policy } = page.texts();
  evaluator.setPolicy(policy);
  const outcome = evaluator.evaluate(envelope);
  const { policyCheck: checked } = evaluator;
  remark(page, outcome, checked, policy);
  const pane = byId("result-decide", HTMLElement);
  if (outcome.fault !== undefined) {
    refill(pane, refused(page, outcome.fault, outcome.document));
    strip("error", "no answer", outcome.fault.code);
    const line = lineOfFault(page, outcome.fault, outcome.document);
    announceResult(`No answer: ${outcome.fault.message}, line ${line} of the ${outcome.document}`);
  } else {
    refill(pane, ...decided(page, outcome, checked.fault === undefined ? checked.findings : []));
    strip(
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.next_step ?? "none",
    );
    announceResult(sentence(outcome));
  }
  return outcome;
}

/** Returns the element with an error and a button that shows its position. */
export function refused(page: Page, fault: Fault, document: DocumentName): HTMLElement {
  const { text } = page.editors[document];
  const range = rangeOfFault(text, fault);
  const where = lineButton(
    `error in the ${TITLES[document].toLowerCase()}`,
    lineOf(text, range.from),
    TITLES[document].toLowerCase(),
    () => page.editors[document].show(range),
  );
  return refusal(fault, where, looksLikeYaml(fault, text) ? "This page reads JSON only. The command also reads YAML." : "");
}

/** Returns whether a text looks like YAML, which only the command reads. */
function looksLikeYaml({ code }: Fault, text: string): boolean {
  return code === "malformed_json" && /^\s*(?:#.*\n\s*|---\s*)*[\w-]+\s*:/.test(text);
}

/** Marks the findings of the check in the policy's editor. */
export function remarkPolicy(page: Page, document: "policy" | "other", checked: PolicyCheck, text: string): void {
  const editor = page.editors[document];
  if (checked.fault !== undefined) {
    editor.remark([remarkOf(page, document, checked.fault)]);
    state(document, "invalid", true);
    return;
  }
  editor.remark(checked.findings.map((finding) => remarkOn(editor.text, finding)));
  const count = checked.findings.length;
  state(
    document,
    text.trim() === "" ? "none: built-in rules only" : count === 0 ? "checked, no findings" : `${count} ${count === 1 ? "finding" : "findings"} of the check`,
  );
}

function remark(page: Page, outcome: Outcome, checked: PolicyCheck, policy: string): void {
  remarkPolicy(page, "policy", checked, policy);
  const isRefused = outcome.fault !== undefined && outcome.document === "envelope";
  page.editors.envelope.remark(isRefused ? [remarkOf(page, "envelope", outcome.fault)] : []);
  state("envelope", isRefused ? "invalid" : "", isRefused);
}

function remarkOn(text: string, { path, severity, message, hint, code }: CheckFinding): Remark {
  return { ...shortRangeOf(text, path), severity, message: `${message}${hint === undefined ? "" : `; ${hint}`} (${code})` };
}

function lineOfFault(page: Page, fault: Fault, document: DocumentName): number {
  const { text } = page.editors[document];
  return lineOf(text, rangeOfFault(text, fault).from);
}

function decided(page: Page, outcome: DecidedOutcome, findings: readonly CheckFinding[]): (HTMLElement | null)[] {
  const { evaluation, explanation, milliseconds } = outcome;
  const envelope = linksOf(page, "envelope");
  const policy = linksOf(page, "policy");
  const apply = () => {
    const changes = explanation.counterfactual?.changes ?? [];
    page.put("envelope", patched(page.texts().envelope, changes));
    // The button was removed with its reason, so the focus moves to the result.
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

/** Returns a decision as one sentence. */
export function sentence({ evaluation }: DecidedOutcome): string {
  const { decision, findings } = evaluation;
  const count = findings.length === 1 ? "1 reason" : `${findings.length} reasons`;
  return `Decision: ${decision.status}, next step ${decision.next_step ?? "none"}, ${count}`;
}

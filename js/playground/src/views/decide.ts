/** The view of one decision: the decision, its reasons, and the changes that lead to success. */
import type { CheckFinding, Envelope } from "adjudicate/slim";

import { announceResult, notice } from "../announce.js";
import type { Decided, DecidedOutcome, Outcome } from "../answers.js";
import { shortestPolicy } from "../case.js";
import { TITLES, type DocumentName } from "../documents.js";
import { byId, make, refill, type Child } from "../dom.js";
import type { Editor, Remark } from "../editor/editor.js";
import type { Fault } from "../editor/json-text.js";
import { formatted } from "../editor/format.js";
import { patched } from "../editor/patch.js";
import { isObject, pretty, type Json } from "../json.js";
import type { PolicyCheck } from "../judge.js";
import { linksOf, remarkOf, state, type Page } from "../page.js";
import { counterfactual } from "../parts/counterfactual.js";
import { policyFindings } from "../parts/findings.js";
import { instructions, loop, obstacles, raw } from "../parts/outcome.js";
import { lineButton } from "../parts/pointer.js";
import { reasons } from "../parts/reasons.js";
import { routes } from "../parts/routes.js";
import { strip } from "../parts/strip.js";
import { testList } from "../parts/tests.js";
import { earlier, refusal, verdict } from "../parts/verdict.js";
import { resultsOf, withTests, type TestResult } from "../policy-tests.js";
import { measureDecision } from "../timings.js";
import { jsonOf, looksLikeYaml, YamlError } from "../yaml.js";

/** Asks for the decision. Returns the function that shows it. */
export async function askDecision(page: Page): Promise<() => void> {
  const { envelope, policy } = page.texts();
  const [decided, tests] = await Promise.all([page.answers.decide({ envelope, policy }), results(page)]);
  return () => showDecision(page, decided, tests);
}

/** The parts of the last decision. They stay on the page, dimmed, while a document has an error. */
let lastDecision: readonly Child[] = [];

function showDecision(page: Page, { outcome, check }: Decided, tests: readonly TestResult[]): void {
  remark(page, outcome, check);
  const pane = byId("result-decide", HTMLElement);
  if (outcome.fault !== undefined) {
    refill(pane, refused(page, outcome.fault, outcome.document), testResults(page, tests), earlier("decision", lastDecision));
    strip("error", "no answer", outcome.fault.code);
    const line = lineOfFault(page, outcome.fault, outcome.document);
    announceResult(`No answer: ${outcome.fault.message}, line ${line} of the ${outcome.document}`);
  } else {
    measureDecision(outcome.milliseconds);
    lastDecision = decided(page, outcome, check.fault === undefined ? check.findings : []);
    refill(pane, ...lastDecision.slice(0, 1), testResults(page, tests), ...lastDecision.slice(1));
    strip(
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.status,
      outcome.evaluation.decision.next_step ?? "none",
    );
    announceResult(sentence(outcome));
  }
}

/** Returns the results of the tests that are open on the page. An invalid policy has none. */
async function results(page: Page): Promise<readonly TestResult[]> {
  const [tests, { policy }] = [page.tests(), page.texts()];
  if (tests.length === 0) return [];
  let text: string;
  try {
    text = withTests(policy.trim() === "" ? shortestPolicy() : policy, tests);
  } catch {
    // The view reports the error of the policy.
    return [];
  }
  const check = await page.answers.check(text);
  return check.fault === undefined ? resultsOf(tests, check.findings) : [];
}

/** Returns the element with the results of tests. A click on a test opens its input. */
function testResults(page: Page, tests: readonly TestResult[]): HTMLElement | null {
  if (tests.length === 0) return null;
  const inputs = new Map(page.tests().map(({ name, input }) => [name, input]));
  return testList(tests, (name) => void page.replace({ envelope: pretty(inputs.get(name)) }));
}

/** Returns the element with an error and a button that shows its position. */
export function refused(page: Page, fault: Fault, document: DocumentName): HTMLElement {
  const { content } = page.editors[document];
  const { text } = content;
  const range = content.rangeOfFault(fault);
  const where = lineButton(
    `error in the ${TITLES[document].toLowerCase()}`,
    content.lineOf(range.from),
    TITLES[document].toLowerCase(),
    () => page.editors[document].show(range),
  );
  const isYaml = fault.code === "malformed_json" && looksLikeYaml(text);
  return refusal(fault, where, isYaml && make("button", { type: "button", onclick: () => void convert(page, document) }, "Convert from YAML"));
}

/** Converts a document from YAML to JSON. */
async function convert(page: Page, document: DocumentName): Promise<void> {
  try {
    page.put(document, formatted(await jsonOf(page.texts()[document])));
  } catch (thrown) {
    if (!(thrown instanceof YamlError)) throw thrown;
    notice(`The ${TITLES[document].toLowerCase()} is not YAML: ${thrown.message}.`);
  }
}

/** Marks the findings of the check in the policy's editor. */
export function remarkPolicy(page: Page, document: "policy" | "other", checked: PolicyCheck): void {
  const editor = page.editors[document];
  if (checked.fault !== undefined) {
    editor.remark([remarkOf(page, document, checked.fault)]);
    state(document, "invalid", true);
    return;
  }
  editor.remark(checked.findings.map((finding) => remarkOn(editor, finding)));
  const count = checked.findings.length;
  state(
    document,
    editor.text.trim() === "" ? "none: built-in rules only" : count === 0 ? "checked, no findings" : `${count} ${count === 1 ? "finding" : "findings"} of the check`,
  );
}

function remark(page: Page, outcome: Outcome, checked: PolicyCheck): void {
  remarkPolicy(page, "policy", checked);
  const isRefused = outcome.fault !== undefined && outcome.document === "envelope";
  page.editors.envelope.remark(isRefused ? [remarkOf(page, "envelope", outcome.fault)] : []);
  state("envelope", isRefused ? "invalid" : "", isRefused);
}

function remarkOn({ content }: Editor, { path, severity, message, hint, code }: CheckFinding): Remark {
  return { ...content.shortRangeOf(path), severity, message: `${message}${hint === undefined ? "" : `; ${hint}`} (${code})` };
}

function lineOfFault(page: Page, fault: Fault, document: DocumentName): number {
  const { content } = page.editors[document];
  return content.lineOf(content.rangeOfFault(fault).from);
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
  const use = (witness: Envelope) => void page.replace({ envelope: pretty(witness) });
  return [
    verdict(evaluation, `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`),
    reasons(explanation, envelope, policy, rulePointers(page.texts().policy)),
    counterfactual(explanation, envelope, apply),
    routes(explanation),
    obstacles(evaluation.decision, envelope),
    instructions(evaluation.decision),
    policyFindings(findings, policy, use),
    loop(evaluation.loop),
    raw("Answer of evaluate, as JSON", outcome.answer),
  ];
}

/** Returns the JSON Pointers of a policy's rules by their ids. */
function rulePointers(policy: string): ReadonlyMap<string, string> {
  const document = policy.trim() === "" ? null : (JSON.parse(policy) as Json);
  const rules = isObject(document) && Array.isArray(document["rules"]) ? document["rules"] : [];
  return new Map(rules.map((rule, at) => [isObject(rule) ? String(rule["id"]) : "", `/rules/${at}`]));
}

/** Returns a decision as one sentence. */
export function sentence({ evaluation }: DecidedOutcome): string {
  const { decision, findings } = evaluation;
  const count = findings.length === 1 ? "1 reason" : `${findings.length} reasons`;
  return `Decision: ${decision.status}, next step ${decision.next_step ?? "none"}, ${count}`;
}

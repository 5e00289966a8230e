/** Decisions on envelopes and policies that the user writes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { answeredByCommand, evaluatedByCommand, evaluation, pretty } from "./support/documents.mjs";
import { answerIn, button, editor, errorIn, region, says, shows, textOf, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const FIRST = "run-rust-service-failing-integration";
const CLEAN = "run-docs-only-clean";

const decision = (page) => region(page, "Decision");
const lineOfCaret = (page, id) => page.locator(`#editor-${id} .cm-lineNumbers .cm-activeLineGutter`).textContent();

visit("the first example is decided as soon as the page is ready, and another one as the corpus has it", { example: "" }, async ({ page }) => {
  await shows(page, "Decision", "unsafe");
  assert.equal(await answerIn(decision(page)), evaluation("readme-agent-claims-tests-passed").answer);
  await page.selectOption("#example", "failing-integration");
  await becomes(() => answerIn(decision(page)), evaluation(FIRST).answer);
  await page.getByText("An integration test fails, so the fixes come next.").waitFor();
  await says(page, "Decision: partial, next step fix_findings, 4 reasons");
  assert.equal(await decision(page).locator(".verdict-route").textContent(), "fix step, declared by `steps` or `routes`");

  const links = await page.locator("a[href^='https:']").evaluateAll((all) => all.map(({ href }) => href));
  const rules = await decision(page).locator(".reason h4 a").allTextContents();
  assert.equal(rules.length, 4);
  assert.equal(links.length, 6 + rules.length, "those of the introduction, and of the rules");
  for (const link of links) assert.ok(isInBook(link), link);
});

/** Returns whether a link leads to a page of the book, and to its section if it names one. */
function isInBook(link) {
  const [, file, section] = /^https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/main\/(docs\/[^#]+)(?:#(.+))?$/.exec(link);
  const headings = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").match(/^#+ .+$/gm);
  const names = headings.map((line) => line.replace(/^#+ /, "").toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"));
  return section === undefined || names.includes(section);
}

/** A policy whose rules all fire, and an envelope with 100 changed files. */
function manyReasons() {
  const files = Array.from({ length: 100 }, (_, at) => ({ path: `src/part-${at}/file.rs`, change: "modified" }));
  const when = (at) => ({ and: [{ ">=": [{ var: "facts.diff.count" }, at % 50] }, { in: [files[at % 100].path, { var: "facts.diff.paths" }] }] });
  const rules = Array.from({ length: 500 }, (_, at) => ({ id: `rule-${at}`, when: when(at), then: { status: "blocked", summary: `reason ${at}` } }));
  const envelope = JSON.parse(evaluation(CLEAN).envelope);
  Object.assign(envelope.evidence, { diff: { files }, workspace_diff_summary: "" });
  return { envelope: pretty(envelope), policy: pretty({ policy: "many", version: "1.0.0", required_validators: [], rules }) };
}

visit("500 firing rules are shown in short tasks, the first reasons at once, and the others when the user asks", {}, async ({ page }) => {
  const { envelope, policy } = manyReasons();
  await page.evaluate(() => {
    globalThis.added = [];
    // The records of one call are of one task.
    const countOf = (records) => records.flatMap(({ addedNodes }) => [...addedNodes]).reduce((sum, node) => sum + 1 + (node.querySelectorAll?.("*").length ?? 0), 0);
    new MutationObserver((records) => globalThis.added.push(countOf(records))).observe(document.querySelector("#result-decide"), { childList: true, subtree: true });
  });
  await write(page, "Policy", policy);
  await write(page, "Envelope", envelope);
  await decision(page).getByText("Reasons500").waitFor();
  const shown = decision(page).locator(".reason");
  assert.equal(await shown.count(), 50);
  await button(page, "Show 450 more").press("Enter");
  await becomes(() => shown.count(), 500);
  const focused = await page.evaluate(() => document.activeElement.textContent);
  assert.match(focused, /^rule-50blocked/, "the focus is on the first of the others");
  const most = await page.evaluate(() => Math.max(...globalThis.added));
  assert.ok(most < 8000, `${most} nodes at once`);
});

visit("each allowed step is shown with its role, and the next step is marked", {}, async ({ page }) => {
  const { envelope, policy } = evaluation(FIRST);
  await write(page, "Policy", policy);
  await write(page, "Envelope", envelope);
  const { routes, evaluation: decided } = JSON.parse(await answeredByCommand("explain", `{"envelope": ${envelope}, "policy": ${policy}}`));
  const expected = routes.map(({ step, role }) => [step === decided.decision.next_step ? `${step}next step` : step, role]);
  assert.ok(expected.length > 2 && expected.flat().some((text) => text.endsWith("next step")));
  const rows = region(page, "Allowed steps").locator("tbody tr");
  const shown = () => rows.evaluateAll((found) => found.map((row) => [...row.children].slice(0, 2).map((cell) => cell.textContent)));
  await becomes(async () => JSON.stringify(await shown()), JSON.stringify(expected));
  const sources = await rows.locator("td:last-child").allTextContents();
  assert.ok(sources.every((text) => text.length > 5), sources.join());
});

visit("an invalid envelope is refused at its line, and the last decision stays, dimmed", {}, async ({ page }) => {
  const { envelope, policy } = evaluation(CLEAN);
  await write(page, "Policy", policy);
  await write(page, "Envelope", envelope);
  await shows(page, "Decision", "success");
  const lines = envelope.split("\n");
  const broken = lines.findIndex((line) => line.includes('"step_id"'));
  lines[broken] = `${lines[broken].replace(/,$/, "")} "no comma": 1,`;
  await write(page, "Envelope", lines.join("\n"));
  await shows(page, "Decision", "no answer");
  const { error } = JSON.parse(await evaluatedByCommand(lines.join("\n"), policy));
  const shown = (part) => decision(page).locator(`.verdict-${part}`).first().textContent();
  await becomes(async () => [await shown("next"), await shown("message")], [error.code, error.message]);
  assert.equal(await decision(page).getByRole("heading").count(), 2, "of the region, and of the refusal");
  assert.equal(await decision(page).locator(".earlier[inert] .verdict-word").textContent(), "success");
  await says(page, new RegExp(`^No answer: .+, line ${broken + 1} of the envelope$`));
  await errorIn(page, "envelope", broken + 1).click();
  assert.equal(await editor(page, "Envelope").evaluate((element) => element.getRootNode().activeElement === element), true);
  assert.equal(await lineOfCaret(page, "envelope"), String(broken + 1));
  await page.locator("#editor-envelope .cm-lint-marker-error").waitFor();
  const underlined = page.locator("#editor-envelope .cm-line", { has: page.locator(".cm-lintRange-error") });
  await becomes(() => underlined.textContent(), lines[broken]);

  await write(page, "Envelope", envelope);
  await shows(page, "Decision", "success");
  assert.equal(await page.locator("#editor-envelope .cm-lintRange-error").count(), 0);
});

visit("another policy decides differently, and without a policy the built-in rules remain", {}, async ({ page }) => {
  const { envelope, policy } = evaluation("run-typescript-monorepo-protected-paths");
  await write(page, "Policy", policy);
  await write(page, "Envelope", envelope);
  const { name, version } = JSON.parse(policy);
  const by = () => decision(page).locator(".verdict-by").textContent();
  await becomes(by, new RegExp(`^${JSON.parse(policy).policy ?? name} ${version} · `));
  const before = await answerIn(decision(page));
  await write(page, "Policy", "");
  await becomes(by, /^built-in rules, no policy · /);
  await becomes(() => page.locator("#state-policy").textContent(), "none: built-in rules only");
  const after = await answerIn(decision(page));
  assert.notEqual(after, before);
  assert.equal(after, await evaluatedByCommand(envelope));
});

visit("an invalid policy is refused at its line, with any envelope", {}, async ({ page }) => {
  const policy = JSON.parse(evaluation(FIRST).policy);
  const text = pretty({ ...policy, rulez: [] });
  const line = text.split("\n").findIndex((one) => one.includes("rulez")) + 1;
  await write(page, "Policy", text);
  await shows(page, "Decision", "no answer");
  await becomes(() => page.locator("#state-policy").textContent(), "invalid");
  await errorIn(page, "policy", line).click();
  assert.equal(await lineOfCaret(page, "policy"), String(line));
  await says(page, new RegExp(`^No answer: .+, line ${line} of the policy$`));
});

visit("findings of the check are shown at their place in the policy", {}, async ({ page }) => {
  const never = { id: "never", when: false, then: { status: "blocked", summary: "never" } };
  const text = pretty({ policy: "p", version: "1.0.0", rules: [never] });
  await write(page, "Policy", text);
  await becomes(() => page.locator("#state-policy").textContent(), /^\d+ findings? of the check$/);
  await decision(page).getByRole("heading", { name: /^Policy check \d+$/ }).waitFor();
  assert.ok((await page.locator("#editor-policy .cm-lint-marker").count()) > 0);
});

visit("the changes that lead to success can be applied, and lead to success", {}, async ({ page }) => {
  await decision(page).getByRole("heading", { name: /^Changes for success \d+$/ }).waitFor();
  await button(page, "Apply to the envelope").click();
  await shows(page, "Decision", "success");
  assert.equal(await answerIn(decision(page)), await evaluatedByCommand(await textOf(page, "Envelope"), await textOf(page, "Policy")));
});

visit("a reason leads to its place in the envelope", {}, async ({ page }) => {
  await shows(page, "Decision", "partial");
  const lead = button(page, /^\/.+ line \d+ of the envelope$/).first();
  const [, pointer, line] = /^(.+) line (\d+) of/.exec(await lead.textContent());
  await lead.click();
  assert.equal(await lineOfCaret(page, "envelope"), line);
  await page.locator("#editor-envelope .cm-shown").first().waitFor();
  assert.match(await page.locator("#editor-envelope .cm-activeLine").textContent(), new RegExp(`"${pointer.split("/").at(-1)}"|[{]`));
});

visit("formatting a document does not change its value", {}, async ({ page }) => {
  const { envelope, policy, answer } = evaluation(FIRST);
  await write(page, "Policy", policy);
  await write(page, "Envelope", JSON.stringify(JSON.parse(envelope)));
  await button(page, "Format envelope").click();
  const text = await textOf(page, "Envelope");
  assert.ok(text.split("\n").length > 20, text);
  assert.deepEqual(JSON.parse(text), JSON.parse(envelope));
  await becomes(() => answerIn(decision(page)), answer);
});

visit("a rule of the policy gives a reason that leads to the rule", {}, async ({ page }) => {
  const when = { "<": [{ var: "facts.diff.count" }, 999] };
  const rule = { id: "too-late", when, then: { status: "blocked", summary: "it is too late" } };
  await write(page, "Policy", pretty({ policy: "p", version: "1.0.0", rules: [rule] }));
  const reason = decision(page).getByRole("listitem").filter({ hasText: "it is too late" }).first();
  await reason.getByRole("button", { name: /^\/rules\/0 line \d+ of the policy$/ }).waitFor();
  assert.equal(await reason.getByRole("heading").getByRole("link").count(), 0, "only built-in rules have a section");
  await reason.locator("summary").click();
  const cells = reason.getByRole("region", { name: "Parts of the condition" }).getByRole("cell");
  const texts = await cells.allTextContents();
  const { reasons } = JSON.parse(await answeredByCommand("explain", `{"envelope": ${await textOf(page, "Envelope")}, "policy": ${await textOf(page, "Policy")}}`));
  const [{ operands, variables }] = reasons.find(({ rule }) => rule === "too-late").conditions;
  const [{ variable, value }] = variables;
  assert.deepEqual(texts.slice(1), ["<", JSON.stringify(operands.map((operand) => operand.value)), `${variable} is ${value}`, "holds"]);
});

visit("a document in YAML is converted", {}, async ({ page }) => {
  await write(page, "Policy", "# mine\npolicy: p\nversion: 1.0.0\n");
  await shows(page, "Decision", "no answer");
  await button(page, "Convert from YAML").click();
  await becomes(() => textOf(page, "Policy"), '{"policy": "p", "version": "1.0.0"}\n');
  await becomes(() => decision(page).locator(".verdict-by").first().textContent(), /^p 1\.0\.0 · /);
});

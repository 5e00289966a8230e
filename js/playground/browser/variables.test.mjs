/** Completion and tooltips in the editor of a policy show the value of each variable for the documents on the page. */
import assert from "node:assert/strict";

import { evaluation, pretty } from "./support/documents.mjs";
import { shows, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const CASE = evaluation("run-rust-service-failing-integration");

/** Writes a policy with an unfinished condition at the end, and opens the completions there. Returns `{ name: detail }`. */
async function completions(page, name) {
  await write(page, "Policy", `{"policy": "p", "version": "1.0.0", "rules": [{"id": "a", "when": {"==": [{"var": "${name}"`);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+Space");
  const items = page.locator("#editor-policy .cm-tooltip-autocomplete > ul > li");
  await items.first().waitFor();
  const pairs = await items.evaluateAll((all) =>
    all.map((item) => [".cm-completionLabel", ".cm-completionDetail"].map((part) => item.querySelector(part)?.textContent ?? "")),
  );
  await page.keyboard.press("Escape");
  return Object.fromEntries(pairs);
}

visit("completion shows the values of the envelope, while the policy is unfinished", {}, async ({ page }) => {
  await write(page, "Envelope", CASE.envelope);
  await write(page, "Policy", CASE.policy);
  await shows(page, "Decision", "partial");
  assert.equal((await completions(page, "facts.validators."))["facts.validators.failing"], 'a list, ["cargo-test"]');

  // The values follow the envelope.
  const other = JSON.parse(CASE.envelope);
  other.evidence.validation.exit_codes = { lint: 0 };
  await write(page, "Envelope", pretty(other));
  assert.equal((await completions(page, "facts.validators.fail"))["facts.validators.failing"], "a list, []");
  await write(page, "Envelope", "{}");
  assert.equal((await completions(page, "facts.validators.fail"))["facts.validators.failing"], "a list", "no envelope, no value");
});

visit("a tooltip shows the value of a variable", {}, async ({ page }) => {
  const policy = (variable) => pretty({
    policy: "p",
    version: "1.0.0",
    rules: [{ id: "a", when: { "==": [{ var: variable }, 3] }, then: { status: "blocked", summary: "s" } }],
  });
  await write(page, "Envelope", pretty({ ...JSON.parse(CASE.envelope), "x-score": 3 }));
  for (const [variable, text] of [["input.x-score", "Now: 3"], ["facts.validators.failing", 'Now: ["cargo-test"]'], ["facts.diff.improved", "Now: unknown"]]) {
    await write(page, "Policy", policy(variable));
    await page.locator("#editor-policy .cm-content").getByText(`"${variable}"`).hover();
    const tooltip = page.locator("#editor-policy .cm-tooltip-hover .cm-hover");
    await becomes(async () => (await tooltip.textContent()).endsWith(text), true, variable);
    await page.mouse.move(0, 0);
    await becomes(() => tooltip.count(), 0);
  }
});

/** Documents and tests that the user opens, and the question before a document is replaced. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { evaluation, inFolder, written } from "./support/documents.mjs";
import { button, openView, region, shows, textOf, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const POLICIES = fileURLToPath(new URL("../../../fixtures/policies/", import.meta.url));
const CLEAN = evaluation("run-docs-only-clean");

const question = (page) => page.getByRole("dialog", { name: "Replace your documents?" });
const notice = (page) => page.locator("#notice:visible");

visit("files are opened as the documents that they are", {}, async ({ page }) => {
  await inFolder(async (folder) => {
    const files = [written(folder, "a.json", CLEAN.envelope), written(folder, "b.json", CLEAN.policy)];
    await page.setInputFiles("#files", files[0]);
    await becomes(() => textOf(page, "Envelope").then(JSON.parse), JSON.parse(CLEAN.envelope));
    await page.setInputFiles("#files", files[1]);
    await question(page).getByRole("button", { name: "Replace" }).click().catch(() => undefined);
    await shows(page, "Decision", "success");
    await page.setInputFiles("#files", written(folder, "c.json", "{"));
    await becomes(() => notice(page).textContent(), /^c\.json is not opened: the file is not JSON/);
    await page.setInputFiles("#files", written(folder, "d.txt", "nothing"));
    await becomes(() => notice(page).textContent(), /^d\.txt is not opened: /);
  });
});

visit("an own document is replaced only after a question", {}, async ({ page }) => {
  await write(page, "Policy", CLEAN.policy);
  await page.selectOption("#example", "interrupted");
  await question(page).getByRole("button", { name: "Keep them" }).click();
  assert.equal(await textOf(page, "Policy"), CLEAN.policy);
  assert.equal(await page.locator("#example").inputValue(), "");
  await button(page, "New").click();
  await question(page).getByRole("button", { name: "Replace" }).click();
  await shows(page, "Decision", "success");
  await page.selectOption("#example", "interrupted");
  await shows(page, "Decision", /^(?!no answer|success)/);
  assert.equal(await question(page).count(), 0, "a new document has nothing of the user");
});

visit("the tests of a file run under the policy, also after an edit", {}, async ({ page }) => {
  await page.selectOption("#example", "signed-release");
  await page.setInputFiles("#files", join(POLICIES, "release-gate.cases.yaml"));
  const tests = region(page, "Decision").locator("#tests");
  await becomes(() => tests.locator("p").first().textContent(), "All 29 pass.");
  await write(page, "Policy", JSON.stringify({ policy: "lax", version: "1.0.0" }));
  await becomes(() => tests.locator("p").first().textContent(), /^\d+ of 29 fail\.$/);
  const before = await textOf(page, "Envelope");
  await tests.getByRole("button").first().click();
  assert.notEqual(await textOf(page, "Envelope"), before);
});

visit("a suggestion for a plan is applied, and marked", {}, async ({ page }) => {
  await openView(page, "Plan");
  await page.selectOption("#example", "story-1");
  await shows(page, "Verdict", "rejected");
  const before = JSON.parse(await textOf(page, "Plan")).plan.nodes.length;
  await button(page, "Apply").first().click();
  await becomes(async () => JSON.parse(await textOf(page, "Plan")).plan.nodes.length, before + 1);
  await page.locator("#editor-plan .cm-differs").first().waitFor({ state: "attached" });
});

visit("snippets name the documents, which are downloaded as JSON and as YAML", {}, async ({ page }) => {
  await button(page, "Use it").click();
  const dialog = page.getByRole("dialog", { name: "Use it" });
  assert.match(await dialog.getByRole("region", { name: "On the command line" }).textContent(), /evaluate envelope\.json --policy policy\.json/);
  for (const name of ["envelope.json", "policy.json", "envelope.yaml", "policy.yaml"]) {
    const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name, exact: true }).click()]);
    assert.equal(file.suggestedFilename(), name);
  }
});

visit("the page stands still while the engine loads", { path: null }, async ({ page, site }) => {
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(site.url);
  await shows(page, "Decision", "unsafe");
  const shift = await page.evaluate(() => window.shift);
  assert.ok(shift < 0.1, `the layout shift is ${shift}`);
});

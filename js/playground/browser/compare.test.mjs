/** The comparison of two versions of a policy. */
import assert from "node:assert/strict";

import { evaluatedByCommand, evaluation, pretty } from "./support/documents.mjs";
import { button, errorIn, openView, region, says, statusIn, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const comparison = (page) => region(page, "Comparison");
const side = (page, name) => comparison(page).getByRole("region", { name: `Decision by ${name}` });
const heading = (page) => comparison(page).getByRole("heading", { name: /^Differences/ });
const changedRows = (page) => comparison(page).locator("tr[data-mark]:not([data-mark=same])");

visit("two versions are compared, and the differences are marked", {}, async ({ page }) => {
  await openView(page, "Compare");
  await becomes(() => statusIn(side(page, "policy")), "partial");
  await becomes(() => statusIn(side(page, "other version")), "needs_human");
  const rows = await changedRows(page).count();
  assert.equal(await heading(page).textContent(), `Differences${rows}`);
  await says(page, `Comparison: partial becomes needs_human, ${rows} changes`);

  const status = comparison(page).getByRole("row", { name: /^changed status/ });
  assert.deepEqual(await status.getByRole("cell").allTextContents(), ["≠changed", "partial", "needs_human"]);

  const lines = await page.locator("#editor-other .cm-line.cm-differs").allTextContents();
  assert.ok(lines.some((line) => line.includes('"3.3.0"')), `${lines}`);
  assert.ok((await page.locator("#editor-policy .cm-line.cm-differs").count()) > 0);
});

visit("an edited version is compared at once", {}, async ({ page }) => {
  const { envelope, policy } = evaluation("run-typescript-monorepo-protected-paths");
  await openView(page, "Compare");
  await write(page, "Policy", policy);
  await write(page, "Other version", "");
  await write(page, "Envelope", envelope);
  const [before, after] = [await evaluatedByCommand(envelope, policy), await evaluatedByCommand(envelope)];
  await becomes(() => statusIn(side(page, "policy")), JSON.parse(before).decision.status);
  await becomes(() => statusIn(side(page, "other version")), JSON.parse(after).decision.status);
  await becomes(() => side(page, "other version").locator(".verdict-by").textContent(), /^built-in rules, no policy/);
});

visit("a version that cannot be read is refused, and the last comparison stays, dimmed", {}, async ({ page }) => {
  await openView(page, "Compare");
  const earlier = comparison(page).locator(".earlier[inert]");
  await becomes(() => statusIn(side(page, "other version")), "needs_human");
  const rows = await changedRows(page).count();
  assert.equal(await earlier.count(), 0);
  const text = pretty({ policy: "p", version: "1.0.0", rulez: [] });
  await write(page, "Other version", text);
  await becomes(() => statusIn(side(page, "other version")), "no answer");
  await becomes(() => statusIn(side(page, "policy")), "partial");
  await comparison(page).getByText("No comparison: one of the versions has no decision.").waitFor();
  const isLast = async () => {
    assert.deepEqual(await earlier.locator(".verdict-word").allTextContents(), ["partial", "needs_human"]);
    assert.equal(await earlier.locator("tr[data-mark]:not([data-mark=same])").count(), rows);
    assert.equal(await heading(page).count(), 1);
  };
  await isLast();
  await errorIn(page, "other version", 4).click();
  assert.equal(await page.locator("#editor-other .cm-lineNumbers .cm-activeLineGutter").textContent(), "4");

  await write(page, "Envelope", "{");
  await becomes(() => statusIn(side(page, "policy")), "no answer");
  await errorIn(page, "envelope", 1).waitFor();
  await isLast();

  await button(page, "Copy the policy here").click();
  await button(page, "Replace").click();
  await write(page, "Envelope", evaluation("run-docs-only-clean").envelope);
  await says(page, /^Comparison: both decide /);
  assert.equal(await earlier.count(), 0);
});

visit("marks of differences disappear with the view", {}, async ({ page }) => {
  await openView(page, "Compare");
  await page.locator("#editor-policy .cm-differs").first().waitFor();
  await openView(page, "Decide");
  await becomes(() => page.locator("#editor-policy .cm-differs").count(), 0);
});

/** Documents and tests that the user opens, and the question before a document is replaced. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { evaluation, inFolder, pretty, written } from "./support/documents.mjs";
import { follow, linkOf, verdictLink, verdictOf } from "./support/links.mjs";
import { button, drop, openView, region, shows, textOf, write } from "./support/page.mjs";
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
    await drop(page, files[1]);
    await shows(page, "Decision", "success");
    await page.setInputFiles("#files", written(folder, "c.json", "{"));
    await becomes(() => notice(page).textContent(), /^c\.json is not opened: the file is not JSON/);
    await page.setInputFiles("#files", written(folder, "d.txt", "nothing"));
    await becomes(() => notice(page).textContent(), /^d\.txt is not opened: /);
  });
});

const answer = (page, name) => question(page).getByRole("button", { name }).click();

visit("each way to replace an own document asks first", {}, async ({ page, site }) => {
  const envelope = `${CLEAN.envelope} `;
  const never = { id: "never", when: { "<": [{ var: "facts.diff.count" }, -1] }, then: { status: "blocked", summary: "s" } };
  const policy = pretty({ policy: "p", version: "1.0.0", rules: [never] });
  const other = `${policy} `;
  await page.setInputFiles("#files", join(POLICIES, "release-gate.cases.yaml"));
  await write(page, "Envelope", envelope);
  await write(page, "Policy", policy);
  await openView(page, "Compare");
  await write(page, "Other version", other);
  const link = linkOf(["decide", "{}", "", "", ""]);
  const verdict = verdictLink(await verdictOf("evaluate", CLEAN.envelope));
  const all = "envelope, policy, and other version";
  for (const [view, act, names] of [
    ["Compare", () => button(page, "Copy the policy here").click(), "other version"],
    ["Compare", () => follow(page, link), all],
    ["Decide", () => region(page, "Decision").locator("#tests").getByRole("button").first().click(), "envelope"],
    ["Decide", () => button(page, "Try the example envelope").click(), "envelope"],
    ["Decide", () => follow(page, verdict), "envelope and policy"],
    ["Decide", () => button(page, "New").click(), all],
    ["Decide", () => page.setInputFiles("#files", { name: "a.json", mimeType: "", buffer: Buffer.from(CLEAN.envelope) }), "envelope"],
    ["Decide", () => page.selectOption("#example", "interrupted"), all],
    // Own documents survive a visit of another page.
    ["Decide", () => page.goto("about:blank").then(() => page.goto(site.url + link)), all],
  ]) {
    await openView(page, view);
    await act();
    await question(page).getByText(`You changed the ${names}. `).waitFor();
    await answer(page, "Keep them");
    assert.equal(new URL(page.url()).hash, "");
  }
  assert.deepEqual([await textOf(page, "Envelope"), await textOf(page, "Policy")], [envelope, policy]);
  assert.equal(await page.locator("#example").inputValue(), "");
  await openView(page, "Compare");
  assert.equal(await textOf(page, "Other version"), other);

  await button(page, "Copy the policy here").click();
  await answer(page, "Replace");
  await becomes(() => textOf(page, "Other version"), policy);
  await openView(page, "Decide");
  await button(page, "New").click();
  await answer(page, "Replace");
  await shows(page, "Decision", "success");
  const scrolled = (top) => page.locator("#result").evaluate((result, top) => ((result.scrollTop = top ?? result.scrollTop), result.scrollTop), top);
  await page.selectOption("#example", "interrupted");
  await shows(page, "Decision", /^(?!no answer|success)/);
  assert.equal(await scrolled(50), 50);
  await page.selectOption("#example", "claimed-tests");
  await shows(page, "Decision", "unsafe");
  assert.equal(await scrolled(), 0, "an example begins at its decision");
  await follow(page, link);
  await shows(page, "Decision", "no answer");
  assert.equal(await question(page).count(), 0, "the user changed none of these");
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
  await becomes(async () => (await textOf(page, "Envelope")) === before, false);
  await tests.locator("p").first().waitFor();
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

visit("the snippets run with the documents, which are downloaded as JSON and as YAML", {}, async ({ page }) => {
  await button(page, "Use it").click();
  const dialog = page.getByRole("dialog", { name: "Use it" });
  const snippet = (name) => dialog.getByRole("region", { name }).textContent();
  await inFolder(async (folder) => {
    for (const name of ["envelope.json", "policy.json", "envelope.yaml", "policy.yaml"]) {
      const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name, exact: true }).click()]);
      assert.equal(file.suggestedFilename(), name);
      await file.saveAs(join(folder, name));
    }
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(fileURLToPath(new URL("../node_modules/adjudicate", import.meta.url)), join(folder, "node_modules", "adjudicate"));
    const inNode = written(folder, "decide.mjs", await snippet("In Node"));
    assert.equal(execFileSync(process.execPath, [inNode], { cwd: folder, encoding: "utf8" }), "partial fix_findings\n");
    const [command, ...parameters] = (await snippet("On the command line")).split(" ");
    assert.equal(command, "adjudicate");
    // A decision of `partial` has the exit status 1.
    const { stdout } = spawnSync(process.env.ADJUDICATE, parameters, { cwd: folder, encoding: "utf8" });
    assert.match(stdout, /^PARTIAL next step: fix_findings\n/);
  });
});

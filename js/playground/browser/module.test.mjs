/** Policy modules on the page: valid ones, hostile ones, and infinite loops. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { adjudicate, artifact, compact, evaluation, inFolder, written } from "./support/documents.mjs";
import { answerIn, drop, openView, region, says, statusIn, write } from "./support/page.mjs";
import { PATIENCE_MS, becomes, visit } from "./support/visit.mjs";

const pane = (page) => page.locator("#result-module");
const answer = (page) => page.locator("#module-answer");
const GUEST = artifact("guests", "rust.wasm");
const BAKED = artifact("baked", "docs-only.wasm");
const hostile = (name) => artifact("hostile", `${name}.wasm`);

/** Chooses a file in the file field. */
async function choose(page, file) {
  await openView(page, "Module");
  await page.setInputFiles("#module-file", file);
}

/** Returns the answer of the command with a module instead of the engine. */
function byModule(file, envelope) {
  return inFolder(async (folder) => {
    const { stdout, stderr } = await adjudicate("evaluate", "--module", file, written(folder, "envelope.json", envelope));
    return (stdout || stderr).trimEnd();
  });
}

visit("a module that is dropped anywhere decides as it does in the command's sandbox", {}, async ({ page }) => {
  const { envelope } = evaluation("run-docs-only-clean");
  await write(page, "Envelope", envelope);
  for (const file of [GUEST, BAKED]) {
    await drop(page, file);
    await pane(page).getByText(`${basename(file)}, `).waitFor();
    await becomes(() => answerIn(answer(page)).catch(() => "none"), await byModule(file, envelope));
    await says(page, /^The module decides [a-z_]+, next step /);
  }
  assert.equal(await page.getByRole("tab", { name: "Module" }).getAttribute("aria-selected"), "true");
});

visit("the manifest of a module is shown, and the module answers its operations", {}, async ({ page }) => {
  await choose(page, BAKED);
  await becomes(() => pane(page).getByRole("heading", { level: 3 }).first().textContent(), /^docs/);
  await pane(page).getByRole("heading", { name: "Comparison with the page’s policy" }).waitFor();
  const operation = page.getByRole("combobox", { name: "Operation" });
  const offered = await operation.locator("option").allTextContents();
  assert.ok(offered.includes("evaluate") && offered.length > 1, `${offered}`);
  for (const name of offered) {
    await operation.selectOption(name);
    await becomes(() => answer(page).locator("summary").filter({ hasText: `Answer of ${name}, as JSON` }).count(), 1, name);
  }
});

visit("a module decides each edited envelope, and an invalid one is refused", {}, async ({ page }) => {
  await choose(page, BAKED);
  const { envelope } = evaluation("run-nightly-upgrade-killed-again");
  await write(page, "Envelope", envelope);
  await becomes(() => answerIn(answer(page)).catch(() => "none"), await byModule(BAKED, envelope));
  const status = await statusIn(answer(page));
  await write(page, "Envelope", "{");
  await becomes(() => statusIn(answer(page)), "no answer");
  await becomes(() => answer(page).locator(".verdict-next code").first().textContent(), "malformed_json");
  assert.equal(await answer(page).locator(".earlier[inert] .verdict-word").textContent(), status, "the last answer stays, dimmed");
});

/** Modules that are refused, and one whose answer is. `hostile.test.mjs` of the package has the whole corpus. */
const HOSTILE = ["imports-javascript", "html", "no-manifest", "status-of-its-own"];

visit("hostile modules are refused with their code, and the page stays usable", {}, async ({ page }) => {
  const { cases } = JSON.parse(readFileSync(artifact("hostile", "cases.json"), "utf8"));
  for (const name of HOSTILE) {
    const { outcome } = cases.find((one) => one.name === name);
    await choose(page, hostile(name));
    const code = outcome.load ?? outcome.call;
    await becomes(() => pane(page).locator(".verdict-next code").first().textContent({ timeout: PATIENCE_MS }), code, name);
    await becomes(() => statusIn(pane(page)), "no answer");
    await says(page, new RegExp(`^The module (is rejected|has no answer): ${code}, `));
  }
  await choose(page, GUEST);
  await becomes(() => statusIn(answer(page)), /^(success|partial|needs_human|blocked|unsafe)$/);
});

visit("a module's name with markup is shown as text", {}, async ({ page }) => {
  await choose(page, hostile("name-for-terminals"));
  await becomes(() => statusIn(answer(page)), "partial");
  const { name } = await page.evaluate(() => ({ name: document.querySelector("#result-module h3").textContent }));
  assert.ok(name.length > 0);
  assert.equal(await pane(page).locator("h3 *:not(.count)").count(), 0);
});

visit("a module that loops is ended at its deadline, and the page stays in use meanwhile", {}, async ({ page }) => {
  await choose(page, hostile("infinite-loop"));
  const code = () => pane(page).locator(".verdict-next code").first().textContent();
  await becomes(code, "module_deadline");
  const deadline = page.getByRole("spinbutton", { name: "Deadline, ms" });
  await deadline.press("Control+A");
  await deadline.pressSequentially("60000");
  await deadline.press("Enter");
  await deadline.press("Tab");
  await becomes(() => answer(page).getAttribute("aria-busy"), "true");
  // The module runs in its worker for a minute, and the page stays usable.
  const { envelope } = evaluation("run-docs-only-clean");
  await openView(page, "Decide");
  await write(page, "Policy", "");
  await write(page, "Envelope", envelope);
  await becomes(() => statusIn(region(page, "Decision")), JSON.parse(await byModule(GUEST, envelope)).decision.status);
  await choose(page, GUEST);
  await becomes(() => answerIn(answer(page)).catch(() => "none"), compact(await byModule(GUEST, envelope)));
});

visit("a module that loops while it is loaded is ended, too", {}, async ({ page }) => {
  await choose(page, hostile("infinite-loop-in-initialize"));
  await becomes(() => pane(page).locator(".verdict-next code").first().textContent(), "module_deadline");
  await pane(page).getByText("Load a policy module").waitFor();
});

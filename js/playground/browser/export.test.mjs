/** Cases that the page exports, and the command runs. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { adjudicate, evaluation, inFolder } from "./support/documents.mjs";
import { button, region, shows, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const dialog = (page) => page.getByRole("dialog", { name: "Export as a test case" });
const preview = (page) => dialog(page).getByRole("region", { name: "The case" });

/** Clicks a button that downloads a file. Returns the file's path. */
async function download(page, name, folder) {
  const [handed] = await Promise.all([page.waitForEvent("download"), dialog(page).getByRole("button", { name }).click()]);
  const file = join(folder, handed.suggestedFilename());
  await handed.saveAs(file);
  return file;
}

/** Runs `adjudicate test` on the case and the policy that the open dialog offers. */
function tested(page) {
  return inFolder(async (folder) => {
    const policy = await download(page, /^Download (the policy|a policy for the command)$/, folder);
    const one = await download(page, "Download the case", folder);
    return adjudicate("test", policy, "--case", one, "--format", "json");
  });
}

async function openDialog(page) {
  await button(page, "Export case").click();
  await dialog(page).waitFor();
}

visit("a case is exported with its policy, with the shortest policy, or with an error, and passes in the command", {}, async ({ page }) => {
  const { envelope, policy } = evaluation("run-docs-only-clean");
  const refused = JSON.stringify({ ...JSON.parse(envelope), surprise: 1 });
  for (const [name, texts, isWhole] of [
    ["decision and rules", [envelope, policy], false],
    ["the whole answer", [envelope, policy], true],
    ["without a policy", [envelope, ""], false],
    ["refused", [refused, policy], false],
  ]) {
    await write(page, "Policy", texts[1]);
    await write(page, "Envelope", texts[0]);
    await shows(page, "Decision", name === "refused" ? "no answer" : /^(?!no answer)/);
    await openDialog(page);
    await dialog(page).getByRole("checkbox", { name: /whole answer/ }).setChecked(isWhole);
    const { status, stdout, stderr } = await tested(page);
    assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
    assert.equal(JSON.parse(stdout).passed, 1, name);
    await dialog(page).getByRole("button", { name: "Close" }).click();
    await becomes(() => dialog(page).count(), 0);
  }
});

visit("a case has a name, and its file one that can be written", {}, async ({ page }) => {
  await openDialog(page);
  const name = '../../"\\ ☃ <b>'.padEnd(300, "a");
  await dialog(page).getByRole("textbox", { name: "Name" }).fill(name);
  assert.equal(JSON.parse(await preview(page).textContent()).name, name);
  assert.equal((await tested(page)).status, 0);
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("  ");
  await dialog(page).getByText("There is no case: missing name.").waitFor();
  assert.equal(await dialog(page).getByRole("button", { name: "Download the case" }).isDisabled(), true);
});

visit("an envelope that no case can have is refused with the reason", {}, async ({ page }) => {
  await write(page, "Envelope", "{");
  await shows(page, "Decision", "no answer");
  await openDialog(page);
  await dialog(page).getByText("There is no case: the envelope is not JSON").waitFor();
  assert.equal(await region(page, "The case").count(), 0);
});

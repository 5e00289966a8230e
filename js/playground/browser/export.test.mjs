/** Cases that the page exports, and the command runs. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { adjudicate, evaluation, inFolder, written } from "./support/documents.mjs";
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

/** Asserts that the command ran the case, and that it passed. */
function passes({ status, stdout, stderr }, name) {
  assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
  const { passed, failed } = JSON.parse(stdout);
  assert.ok(passed > 0 && failed === 0, `${name}: ${stdout}`);
}

visit("a case is exported with its policy, and passes in the command", {}, async ({ page }) => {
  for (const name of ["run-rust-service-failing-integration", "run-docs-only-clean"]) {
    const { envelope, policy } = evaluation(name);
    await write(page, "Policy", policy);
    await write(page, "Envelope", envelope);
    await shows(page, "Decision", JSON.parse(evaluation(name).answer).decision.status);
    await openDialog(page);
    passes(await tested(page), name);
    await dialog(page).getByRole("checkbox", { name: /whole answer/ }).check();
    passes(await tested(page), `${name}, the whole answer`);
    await dialog(page).getByRole("button", { name: "Close" }).click();
    await becomes(() => dialog(page).count(), 0);
  }
});

visit("a case without a policy gets the shortest policy", {}, async ({ page }) => {
  const { envelope } = evaluation("run-docs-only-clean");
  await write(page, "Policy", "");
  await write(page, "Envelope", envelope);
  await shows(page, "Decision", /^(?!no answer)/);
  await openDialog(page);
  await dialog(page).getByRole("button", { name: "Download a policy for the command" }).waitFor();
  passes(await tested(page), "without a policy");
});

visit("an envelope that is refused is a case, too", {}, async ({ page }) => {
  const { envelope } = evaluation("run-docs-only-clean");
  await write(page, "Envelope", JSON.stringify({ ...JSON.parse(envelope), surprise: 1 }, null, 2));
  await shows(page, "Decision", "no answer");
  await openDialog(page);
  assert.match(await preview(page).textContent(), /"error": \{\s*"code": "unknown_field"/);
  passes(await tested(page), "refused");
});

visit("a wrong case fails in the command", {}, async ({ page }) => {
  await openDialog(page);
  const text = await preview(page).textContent();
  await dialog(page).getByRole("button", { name: "Close" }).click();
  assert.match(text, /"status": "partial"/);
  await inFolder(async (folder) => {
    await openDialog(page);
    const policy = await download(page, "Download the policy", folder);

    const wrong = written(folder, "wrong.case.json", text.replace('"status": "partial"', '"status": "success"'));
    const { status } = await adjudicate("test", policy, "--case", wrong);
    assert.equal(status, 1);
  });
});

visit("names of any kind make a file that can be written and a case that can be run", {}, async ({ page }) => {
  await openDialog(page);
  for (const name of ['"quoted" \\ name', "../../etc/passwd", "名前 ☃", "a".repeat(300), "<b>bold</b>"]) {
    await dialog(page).getByRole("textbox", { name: "Name" }).fill(name);
    assert.equal(JSON.parse(await preview(page).textContent()).name, name);
    passes(await tested(page), name);
  }
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("  ");
  await dialog(page).getByText("There is no case: missing name.").waitFor();
  assert.equal(await dialog(page).getByRole("button", { name: "Download the case" }).isDisabled(), true);
});

visit("an export that no file of cases can have is refused with the reason", {}, async ({ page }) => {
  const whys = { "{": "the envelope is not JSON", "[]": "the envelope is not an object", '{"a": 1, "a": 2}': "the envelope is not valid JSON" };
  for (const [text, why] of Object.entries(whys)) {
    await write(page, "Envelope", text);
    await shows(page, "Decision", "no answer");
    await openDialog(page);
    await dialog(page).getByText(`There is no case: ${why}`).waitFor();
    assert.equal(await region(page, "The case").count(), 0);
    await page.keyboard.press("Escape");
    await becomes(() => dialog(page).count(), 0);
  }
});

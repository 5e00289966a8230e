/** The whole page by the keyboard. */
import assert from "node:assert/strict";

import { artifact, evaluation } from "./support/documents.mjs";
import { answerIn, editor, paste, region, says, shows, statusIn } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

/** More presses of Tab than the page has stops. */
const FAR = 400;

/** Returns the role and the name of the focused element, also in shadow roots of editors, and whether the focus is visible. */
function focused(page) {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const labels = [element.ariaLabel, ...(element.labels ?? [])].map((label) => label?.textContent ?? label);
    const name = labels.find(Boolean) ?? (element.textContent ?? "").trim();
    const { width, height } = element.getBoundingClientRect();
    return { tag: element.localName, id: element.id, role: element.getAttribute("role"), name: name.trim(), isSeen: width > 0 && height > 0 };
  });
}

/** Presses Tab until the focused element passes a test. */
async function tabTo(page, isIt, key = "Tab") {
  for (let press = 0; press < FAR; press += 1) {
    await page.keyboard.press(key);
    const found = await focused(page);
    if (isIt(found)) return found;
  }
  throw new Error(`the keyboard does not get there: ${isIt}`);
}

const named = (name) => (found) => (typeof name === "string" ? found.name === name : name.test(found.name));

visit("a journey: write, break, fix, compare, view a plan, share, export", {}, async ({ page }) => {
  const { envelope, policy, answer } = evaluation("run-docs-only-clean");
  const decision = region(page, "Decision");
  await tabTo(page, (found) => found.role === "textbox" && found.name === "Envelope");
  await page.keyboard.press("Control+A");
  await paste(page, envelope);
  await tabTo(page, (found) => found.role === "textbox" && found.name === "Policy");
  await page.keyboard.press("Control+A");
  await paste(page, policy);
  await becomes(() => answerIn(decision).catch(() => "none"), answer);

  await tabTo(page, (found) => found.role === "textbox" && found.name === "Envelope", "Shift+Tab");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("x");
  await shows(page, "Decision", "no answer");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("F8");
  const last = String(envelope.trimEnd().split("\n").length + 1);
  await becomes(() => page.locator("#editor-envelope .cm-lineNumbers .cm-activeLineGutter").textContent(), last);
  await page.keyboard.press("Control+Z");
  await becomes(() => answerIn(decision).catch(() => "none"), answer);

  await tabTo(page, (found) => found.role === "tab", "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  assert.equal((await focused(page)).name, "Compare");
  await region(page, "Comparison").getByRole("heading", { name: /^Differences/ }).waitFor();
  await tabTo(page, named("Copy the policy here"));
  await page.keyboard.press("Enter");
  await says(page, "Comparison: both decide success, 0 changes");

  await tabTo(page, (found) => found.role === "tab", "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await tabTo(page, named(/^copy-1, 1 diagnostic/));
  await page.keyboard.press("Space");
  await says(page, "Diagnostics of copy-1 are shown: 1");
  assert.match((await focused(page)).name, /^copy-1, /, "the focus stays on the node");
  await tabTo(page, named("Show all"));
  await page.keyboard.press("Enter");

  await tabTo(page, named("Share"), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  assert.equal((await focused(page)).name, "Link");
  await page.keyboard.press("Escape");
  await becomes(() => page.getByRole("dialog").count(), 0);
  assert.equal((await focused(page)).name, "Share", "the focus is back where it was");
});

visit("the tabs are one stop, with the keys that tabs have", {}, async ({ page }) => {
  await tabTo(page, (found) => found.role === "tab");
  const pressed = [];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"]) {
    await page.keyboard.press(key);
    const { name, role } = await focused(page);
    assert.equal(role, "tab");
    assert.equal(await page.getByRole("tab", { selected: true }).textContent(), name);
    pressed.push(name);
  }
  assert.deepEqual(pressed, ["Compare", "Plan", "Module", "Decide", "Module", "Decide", "Module"]);
  await page.keyboard.press("Tab");
  assert.notEqual((await focused(page)).role, "tab");
});

for (const view of ["Decide", "Compare", "Plan", "Module"]) {
  visit(`Tab goes through ${view} and out again, and each place has a name that can be seen`, {}, async ({ page }) => {
    await page.getByRole("tab", { name: view }).focus();
    await page.keyboard.press("Enter");
    const places = [];
    for (let press = 0; press < FAR; press += 1) {
      await page.keyboard.press("Tab");
      const found = await focused(page);
      if (found.tag === "body") break;
      assert.ok(found.name !== "", `after ${places.join(", ")}: ${JSON.stringify(found)}`);
      assert.ok(found.isSeen, JSON.stringify(found));
      places.push(found.name);
    }
    assert.ok(places.length > 5 && places.length < FAR, `${places}`);
  });
}

visit("the first place skips to the result", {}, async ({ page }) => {
  await page.keyboard.press("Tab");
  assert.equal((await focused(page)).name, "Skip to the result");
  await page.keyboard.press("Enter");
  assert.equal((await focused(page)).id, "result");
  await page.keyboard.press("Tab");
  assert.equal(await region(page, "Decision").evaluate((result) => result.contains(document.activeElement)), true);
});

visit("a module is chosen by the keyboard", {}, async ({ page }) => {
  await page.getByRole("tab", { name: "Module" }).focus();
  await page.keyboard.press("Enter");
  // The listener must exist before the key is pressed, because a busy browser may be late.
  const asked = page.waitForEvent("filechooser");
  await tabTo(page, (found) => found.id === "module-file");
  await page.keyboard.press("Enter");
  const chooser = await asked;
  await chooser.setFiles(artifact("guests", "wat.wasm"));
  await becomes(() => statusIn(page.locator("#module-answer")), /^(success|partial|needs_human|blocked|unsafe)$/);
});

visit("completion, search and undo work by the keyboard, and leave the page when they are done", {}, async ({ page }) => {
  await editor(page, "Envelope").focus();
  await page.keyboard.press("Control+A");
  await paste(page, "{}");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+Space");
  await page.locator("#editor-envelope .cm-tooltip-autocomplete [aria-selected=true]").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+F");
  await page.locator("#editor-envelope .cm-search").waitFor();
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#editor-envelope .cm-search").count(), 0);
  await page.keyboard.press("Control+Z");
  await shows(page, "Decision", "partial");
});

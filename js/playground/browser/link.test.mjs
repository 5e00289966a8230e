/** Links with documents: links of the page, and forged ones. */
import assert from "node:assert/strict";

import { evaluation, pretty } from "./support/documents.mjs";
import { follow, linkOf } from "./support/links.mjs";
import { answerIn, button, openView, region, shows, statusIn, textOf, write } from "./support/page.mjs";
import { becomes, visit, visiting } from "./support/visit.mjs";

const DOCUMENTS = ["Envelope", "Policy", "Other version", "Plan"];
const notice = (page) => page.locator("#notice:visible");

/** Writes all documents, opens a view, and returns the link to it. */
async function share(page, view, texts) {
  await openView(page, "Compare");
  for (const name of ["Envelope", "Policy", "Other version"]) await write(page, name, texts[name]);
  await openView(page, "Plan");
  await write(page, "Plan", texts.Plan);
  await openView(page, view);
  await button(page, "Share").click();
  const field = page.getByRole("dialog", { name: "Share" }).getByRole("textbox", { name: "Link" });
  const link = await field.inputValue();
  assert.equal(page.url(), link);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  return link;
}

visit("a link opens the shared documents in another browser, on the same view", {}, async ({ page, site }) => {
  const { envelope, policy } = evaluation("run-python-pipeline-third-partial");
  const texts = { Envelope: envelope, Policy: policy, "Other version": " \n{ \"é\u2028😀\": 1.0 }\t", Plan: '{"plan": "</script>"}' };
  const link = await share(page, "Compare", texts);
  await visiting({ site, path: link.slice(site.url.length) }, async ({ page: other }) => {
    assert.equal(await other.getByRole("tab", { name: "Compare" }).getAttribute("aria-selected"), "true");
    assert.equal(await notice(other).count(), 0);
    for (const name of DOCUMENTS.slice(0, 3)) assert.equal(await textOf(other, name), texts[name], name);
    await openView(other, "Plan");
    assert.equal(await textOf(other, "Plan"), texts.Plan);
  });
});

visit("no request to the server has a part of the documents", {}, async ({ page, site }) => {
  const before = site.requests.length;
  const link = await share(page, "Decide", { Envelope: "{}", Policy: "", "Other version": "", Plan: "{}" });
  await page.reload();
  await shows(page, "Decision", "no answer");
  const carried = link.split("#v1.")[1].slice(0, 20);
  assert.deepEqual(site.requests.slice(before).filter((path) => path.includes(carried) || path.includes("v1.")), []);
});

visit("a link is opened in a page that is open already", {}, async ({ page }) => {
  const { envelope, policy, answer } = evaluation("run-docs-only-clean");
  const link = linkOf(["decide", envelope, policy, policy, "{}"]);
  await openView(page, "Plan");
  await follow(page, link);
  await becomes(() => answerIn(region(page, "Decision")).catch(() => "none"), answer);
  // After an edit, the address no longer has the documents of the page.
  await write(page, "Envelope", "{}");
  await becomes(() => new URL(page.url()).hash, "");
});

visit("a link without documents is refused, and changes nothing", { path: linkOf({ envelope: "{}" }) }, async ({ page }) => {
  await becomes(() => notice(page).textContent(), /^The link cannot be opened: .+\.$/);
  await shows(page, "Decision", "unsafe");
  const before = await answerIn(region(page, "Decision"));
  for (const link of ["#hello", linkOf("a".repeat(64 << 20))]) {
    // Typing removes the notice, even white space.
    await page.getByRole("textbox", { name: "Policy", exact: true }).press("Control+End");
    await page.keyboard.type(" ");
    await becomes(() => notice(page).count(), 0);
    await follow(page, link);
    await becomes(() => notice(page).textContent(), /^The link cannot be opened: .+\.$/, link.slice(0, 20));
    assert.equal(await answerIn(region(page, "Decision")), before);
  }
});

visit("an unknown view opens the first one", { path: linkOf(["constructor", "{}", "", "", "{}"]) }, async ({ page }) => {
  assert.equal(await page.getByRole("tab", { name: "Decide" }).getAttribute("aria-selected"), "true");
  await shows(page, "Decision", "no answer");
});

visit("a link of half a million characters is opened, and noise of a million is refused", {}, async ({ page, site }) => {
  const { envelope, answer } = evaluation("run-docs-only-clean");
  const noise = (length) => Array.from({ length }, (_, at) => ((at * 2654435761) >>> 0).toString(36).slice(-6)).join("");
  const long = linkOf(["decide", envelope, evaluation("run-docs-only-clean").policy, noise(150_000), "{}"]);
  assert.ok(long.length > 1 << 19, `${long.length}`);
  await follow(page, long);
  await becomes(() => answerIn(region(page, "Decision")).catch(() => "none"), answer);
  assert.equal(await notice(page).count(), 0);

  // The longest address of Firefox.
  const longest = `#v1.${"A".repeat((1 << 20) - 100)}`;
  await follow(page, longest);
  await becomes(() => notice(page).textContent(), /^The link cannot be opened: /);
  assert.equal(await answerIn(region(page, "Decision")), answer);
});

visit("documents that are too long for a link are reported, and stay", {}, async ({ page }) => {
  const noise = Array.from({ length: 700_000 }, (_, at) => ((at * 2654435761) >>> 0).toString(36).slice(-6)).join("");
  await write(page, "Policy", "");
  await follow(page, linkOf(["decide", pretty({}), "", "", "{}"]));
  await shows(page, "Decision", "no answer");
  await write(page, "Envelope", JSON.stringify(noise));
  await button(page, "Share").click();
  await becomes(() => notice(page).textContent(), /^No link: the documents are too long/);
  assert.equal(await statusIn(region(page, "Decision")), "no answer");
});

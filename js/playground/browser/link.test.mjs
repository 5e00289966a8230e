/** Links with documents: links of the page, and forged ones. */
import assert from "node:assert/strict";

import { evaluation, pretty } from "./support/documents.mjs";
import { follow, linkOf } from "./support/links.mjs";
import { answerIn, button, openView, region, shows, statusIn, textOf, write } from "./support/page.mjs";
import { becomes, open, visit, visiting } from "./support/visit.mjs";

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

const BROKEN = {
  "of no form": "#hello",
  "of another version": linkOf(["decide", "", "", "", ""]).replace("v1.", "v2."),
  empty: "#v1.",
  "of other characters": "#v1.%E2%98%83!!",
  "of noise": "#v1.AAAAAAAAAAAAAAAAAAAAAAAA",
  "that was cut off": linkOf(["decide", "{}".repeat(500), "", "", ""]).slice(0, -9),
  "of other JSON": linkOf({ envelope: "{}" }),
  "of too few documents": linkOf(["decide", "{}"]),
  "of numbers": linkOf(["decide", 1, 2, 3, 4]),
  "of no JSON": linkOf("[[[["),
  "that stands for far more than it is": linkOf("a".repeat(64 << 20)),
};

visit("links without documents are refused in an open page, and change nothing", {}, async ({ page }) => {
  await write(page, "Policy", "");
  await becomes(() => page.locator("#state-policy").textContent(), "none: built-in rules only");
  for (const [at, [name, link]] of Object.entries(BROKEN).entries()) {
    // Typing removes the notice, even white space.
    await write(page, "Policy", " ".repeat(at + 1));
    await becomes(() => notice(page).count(), 0);
    const before = await answerIn(region(page, "Decision"));
    await follow(page, link);
    await becomes(() => notice(page).textContent(), /^The link cannot be opened: .+\.$/, name);
    assert.equal(await answerIn(region(page, "Decision")), before, name);
  }
});

visit("a page that is opened by such a link reports this, and begins with an example", { path: null }, async ({ page, site }) => {
  for (const name of ["of another version", "of noise", "that was cut off"]) {
    await page.goto("about:blank");
    await open(page, site, BROKEN[name]);
    await becomes(() => notice(page).textContent(), /^The link cannot be opened: .+\.$/, name);
    await shows(page, "Decision", "unsafe");
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

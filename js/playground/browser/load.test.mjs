/** The loading page, and its failures. No assertion depends on time. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

import { NAME } from "./support/browsers.mjs";
import { shows, write } from "./support/page.mjs";
import { built, serve } from "./support/site.mjs";
import { becomes, visit, visiting } from "./support/visit.mjs";

visit("the engine is loaded once, from the preloaded file, before the first decision", {}, async ({ page }) => {
  const [engines, firsts, files] = await page.evaluate(() => {
    const named = (name) => performance.getEntriesByName(name).map(({ startTime, duration }) => ({ startTime, end: startTime + duration }));
    const resources = performance.getEntriesByType("resource").filter(({ name }) => name.includes("engine.wasm"));
    return [named("engine"), named("first decision"), resources.map(({ initiatorType }) => initiatorType)];
  });
  assert.deepEqual([engines.length, firsts.length], [1, 1]);
  if (NAME === "chromium") assert.deepEqual(files, ["link"], "the preloaded file is used");
  assert.ok(firsts[0].startTime >= engines[0].end, "it decides once the engine is there");
});

test("the page works below any path", async () => {
  const site = await serve("/some/folder/");
  try {
    await visiting({ site }, ({ page }) => becomes(() => page.locator("#offline").textContent(), "Works offline."));
    assert.ok(site.requests.some((path) => path.startsWith("/some/folder/") && path.includes("engine.wasm")));
  } finally {
    await site.close();
  }
});

test("the engine is compressed, and the page preloads it", () => {
  const [, file] = /<link rel="preload" as="fetch" href="\.(\/assets\/engine\.wasm[^"]*)" crossorigin/.exec(built("/").toString());
  const engine = fileURLToPath(import.meta.resolve("adjudicate/engine.wasm"));
  assert.deepEqual(inflateRawSync(built(file)), readFileSync(engine));
});

const isOfRetry = (fault) => /engine\.wasm|Failed to (fetch|load)|NetworkError|thrown/.test(fault);

visit("the page stands still while the engine loads, and tries again after a failure", { path: null, expected: isOfRetry }, async ({ page, site }) => {
  const retry = page.getByRole("button", { name: "Try again" });
  await page.route(/engine\.wasm/, (route) => route.abort());
  await page.goto(site.url);
  await page.getByText("The page does not work here: ").waitFor();
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: "layout-shift", buffered: true });
  });
  // Firefox does not measure shifts.
  for (const width of NAME === "chromium" ? [1280, 360] : [1280]) {
    let load;
    const isWanted = new Promise((resolve) => (load = resolve));
    await page.unroute(/engine\.wasm/);
    await page.route(/engine\.wasm/, (route) => isWanted.then(() => route.continue()));
    await page.setViewportSize({ width, height: 780 });
    if (await retry.isVisible()) await retry.click();
    else await page.reload({ waitUntil: "commit" });
    await page.getByText("The engine is loading").waitFor();
    assert.equal(await page.locator("#timing").textContent(), "Loading the engine …");
    // The user can already type.
    await page.getByRole("textbox", { name: "Policy" }).focus();
    load();
    await shows(page, "Decision", "unsafe");
    assert.equal(await page.locator(".skeleton").count(), 0);
    const shift = await page.evaluate(() => window.shift);
    assert.ok(shift < 0.1, `the layout shift is ${shift} at ${width}`);
  }
});

if (NAME === "chromium") {
  visit("a worker that fails is replaced when the user tries again", { expected: (fault) => fault.includes("out of order") }, async ({ page }) => {
    const fail = () => setTimeout(() => { throw new Error("out of order"); });
    await page.workers()[0].evaluate(`globalThis.postMessage = ${fail}`);
    await write(page, "Envelope", "{}");
    await page.getByText("No answer: the engine's worker failed: Uncaught Error: out of order").waitFor();
    await shows(page, "Decision", "partial");
    await page.getByRole("button", { name: "Try again" }).click();
    await shows(page, "Decision", "no answer");
    assert.equal(await page.locator("#notice:visible").count(), 0);
  });
}

/** Prints the size and the load times of the page. No assertion depends on time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";

import { built, serve } from "./support/site.mjs";
import { visit, visiting } from "./support/visit.mjs";

/** Returns the entries of a name in the page's timeline. */
function measured(page, name) {
  return page.evaluate((name) => performance.getEntriesByName(name).map(({ startTime, duration }) => ({ startTime, duration })), name);
}

visit("the engine and the first decision are measured", {}, async ({ page }) => {
  const engines = await measured(page, "engine");
  const firsts = await measured(page, "first decision");
  assert.equal(engines.length, 1);
  assert.equal(firsts.length, 1);
  const [engine, first] = [engines[0], firsts[0]];
  const ready = engine.startTime + engine.duration;
  assert.ok(first.startTime >= ready, "it decides once the engine is there");
  const ms = (duration) => `${duration.toFixed(1)} ms`;
  const done = first.startTime + first.duration;
  console.log(`engine loaded in ${ms(engine.duration)}, ${ms(ready)} after the page was asked for`);
  console.log(`first decision ${ms(first.duration)}, done ${ms(done - ready)} after the engine was there`);
});

test("the size of the page is measured", async () => {
  const site = await serve();
  try {
    await visiting({ site }, async ({ page }) => {
      // The service worker requests the files a second time, so that they are current.
      const needed = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
      const weights = [...new Set(["/", ...needed])].map((path) => [path, built(path).length, brotli(built(path))]);
      const sum = (at) => weights.reduce((total, weight) => total + weight[at], 0);
      for (const [path, raw, small] of weights) console.log(`${path}: ${raw} bytes, ${small} by brotli`);
      console.log(`in all: ${sum(1)} bytes, ${sum(2)} by brotli`);
      assert.ok(weights.some(([path]) => path.includes("engine.wasm")), "the engine is among it");
    });
  } finally {
    await site.close();
  }
});

/** Compresses with the quality that servers use for each request. */
function brotli(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }).length;
}

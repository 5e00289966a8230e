/**
 * Visits of the page in headless Chromium, each with a profile of its own, under watch: a test fails for whatever the page writes to
 * the console as an error or a warning, throws, violates its policy by, asks another server for, or asks its own for in vain.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { chromium } from "playwright-core";

import { FLAGS, executable } from "../../../scripts/browser.mjs";
import { serve } from "./site.mjs";

/** Generous: a machine may be busy with other things. */
export const PATIENCE_MS = 60_000;

/** Names of other machines are not known, so nothing gets out that the page should try. */
const ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/** CodeMirror says so when it takes several rounds to find out how high a long document is that was pasted. */
const HARMLESS = ["Measure loop restarted more than 5 times"];

const WIDE = { width: 1280, height: 900 };

let started;
let server;

after(async () => {
  await (await started)?.close();
  await (await server)?.close();
});

/**
 * A test of the page. `use` gets `{ page, context, site, watch }`; the page is ready. Of `options`, `path` is what is opened, `null`
 * for nothing; `expected` says of something that was seen whether it belongs to the test; the rest is for the browser's context.
 */
export function visit(name, options, use) {
  test(name, () => visiting(options, use));
}

/** The same within a test; answers with what `use` does. */
export async function visiting({ path = "", expected = () => false, site: given, ...settings }, use) {
  const site = given ?? (await (server ??= serve()));
  const browser = await (started ??= chromium.launch({ executablePath: browserPath(), args: [...FLAGS, ALONE] }));
  const context = await browser.newContext({ viewport: WIDE, ...settings });
  context.setDefaultTimeout(PATIENCE_MS);
  const watch = watching(context, site);
  try {
    const page = await context.newPage();
    if (path !== null) await open(page, site, path);
    const answer = await use({ page, context, site, watch });
    assert.deepEqual(watch.faults().filter((fault) => !expected(fault)), []);
    return answer;
  } finally {
    await context.close();
  }
}

/** Opens an address of the page, and waits until it is ready. */
export async function open(page, site, path = "") {
  await page.goto(site.url + path);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
}

/** Waits until `read` answers `expected`; where it never does, says what it answers instead. */
export async function becomes(read, expected, message) {
  const end = performance.now() + PATIENCE_MS;
  let found = await read();
  while (!same(found, expected) && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    found = await read();
  }
  if (expected instanceof RegExp) assert.match(found, expected, message);
  else assert.deepEqual(found, expected, message);
}

function same(found, expected) {
  return expected instanceof RegExp ? expected.test(found ?? "") : JSON.stringify(found) === JSON.stringify(expected);
}

function watching(context, site) {
  const seen = [];
  const [violations, misses] = [site.violations.length, site.misses.length];
  const isOwn = (url) => url.startsWith(site.url) || url.startsWith("blob:") || url.startsWith("data:");
  // Of the page, of its workers, and of its service worker.
  context.on("request", (request) => isOwn(request.url()) || seen.push(`outside: ${request.url()}`));
  context.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type()) && !HARMLESS.includes(message.text())) seen.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => seen.push(`thrown: ${error.error().message}`));
  return {
    faults: () => [
      ...seen,
      ...site.violations.slice(violations).map((report) => `violation: ${report}`),
      ...site.misses.slice(misses).map((missed) => `not there: ${missed}`),
    ],
  };
}

function browserPath() {
  const path = executable();
  if (path === undefined) throw new Error("no Chromium: install `chromium`, or set CHROMIUM to the path of one");
  return path;
}

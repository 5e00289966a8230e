/**
 * Visits of the page in a headless browser, each with a fresh profile.
 *
 * A test fails if the page logs an error or a warning, throws, or violates its content security policy. It also fails
 * if the page sends a request to another server, or gets an error status from its own.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { OPTIONS, launch } from "./browsers.mjs";
import { serve } from "./site.mjs";

/** The time limit. It is long, because the machine may be busy. */
export const PATIENCE_MS = 60_000;

/** CodeMirror logs this if it needs several rounds to measure the height of a long pasted document. */
const HARMLESS = ["Measure loop restarted more than 5 times"];

const WIDE = { width: 1280, height: 900 };

let started;
let server;

after(async () => {
  await (await started)?.close();
  await (await server)?.close();
});

/**
 * Declares a test of the page. `use` gets `{ page, context, site, watch }` when the page is ready. The option `path` is the opened path; `null` opens
 * none. The option `example` is the selected example of a page without a path. The option `expected` returns true for faults that belong to the test. Other options are for the browser's context.
 */
export function visit(name, options, use) {
  test(name, () => visiting(options, use));
}

/** Visits the page inside of a test. Returns the result of `use`. */
export async function visiting({ path = "", example = "failing-integration", expected = () => false, site: given, ...settings }, use) {
  const site = given ?? (await (server ??= serve()));
  const browser = await (started ??= launch());
  const context = await browser.newContext({ viewport: WIDE, ...OPTIONS, ...settings });
  context.setDefaultTimeout(PATIENCE_MS);
  const watch = watching(context, site);
  try {
    const page = await context.newPage();
    if (path !== null) await open(page, site, path);
    if (path === "" && example !== "") await page.selectOption("#example", example);
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

/** Waits until `read` returns `expected`. After the time limit, fails with the last value. */
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
  // Requests of the page, of its workers, and of its service worker.
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

/** Tests of `visit`: a visit fails for each kind of fault. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { becomes, visiting } from "./support/visit.mjs";

/** Runs in the page. */
function addScript() {
  document.body.appendChild(document.createElement("script")).textContent = "1";
}

const FAULTS = {
  "an error on the console": [(page) => page.evaluate(() => console.error("oh")), /^console error: oh$/],
  "what is thrown": [(page) => page.evaluate(() => void setTimeout(() => { throw new Error("oh"); })), /^thrown: oh$/],
  "a promise that is rejected": [(page) => page.evaluate(() => void Promise.reject(new Error("oh"))), /^thrown: oh$/],
  "a file that is not there": [(page) => page.evaluate(() => fetch("./nothing")), /^not there: \/nothing$/],
  "a style of its own": [(page) => page.evaluate(() => document.body.setAttribute("style", "color: red")), /^violation: .*style-src-attr/],
  "a script from a text": [(page) => page.evaluate(addScript), /^violation: .*script-src/],
  "another server": [(page) => page.evaluate(() => void fetch("https://example.org/").catch(() => 0)), /^violation: .*connect-src/],
  "another page": [(page) => page.goto("http://example.org/"), /^outside: http:\/\/example\.org\//],
};

for (const [name, [act, seen]] of Object.entries(FAULTS)) {
  test(`a visit fails for ${name}`, async () => {
    const visit = visiting({}, async ({ page, watch }) => {
      assert.deepEqual(watch.faults(), []);
      // Some of it ends in an error here, too.
      await act(page).catch(() => undefined);
      await becomes(async () => watch.faults().some((fault) => seen.test(fault)), true, `${watch.faults()}`);
    });
    await assert.rejects(visit, ({ actual }) => actual.some((fault) => seen.test(fault)));
  });
}

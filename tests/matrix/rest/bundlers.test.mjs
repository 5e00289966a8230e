/** The packed package in pages that webpack, Rollup and Parcel made, without configuration. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { EVERYTHING, WITHOUT_WORKERS, comparable } from "../support/given.mjs";
import { STRICT, reportOf } from "../support/page.mjs";
import { run } from "../support/programs.mjs";
import { checkUnused } from "../support/shaken.mjs";
import { project } from "../support/work.mjs";

const tools = fileURLToPath(new URL(".", import.meta.url));
const WEBPACK = ["webpack", "./main.js", "--mode", "production"];
const ROLLUP = ["rollup", "main.js", "--plugin", "node-resolve", "--dir", "dist"];
const PARCEL = ["parcel", "build", "index.html", "--no-cache", "--cache-dir", ".cache"];

for (const [consumer, what] of [["page", "a page"], ["slim-webpack", "a page with slim and the WebAssembly as a file"]]) {
  test(`webpack builds ${what}`, async () => {
    const folder = project(tools, consumer, `webpack-${consumer}`);
    await run(tools, folder, WEBPACK);
    assert.deepEqual(comparable(await reportOf(join(folder, "dist"), STRICT)), EVERYTHING);
  });
}

for (const [name, command] of Object.entries({ Rollup: ROLLUP, Parcel: PARCEL })) {
  test(`${name} builds a page`, async () => {
    const folder = project(tools, "page", name.toLowerCase());
    await run(tools, folder, command);
    const dist = join(folder, "dist");
    assert.deepEqual(comparable(await reportOf(dist)), EVERYTHING);
    // The bundler omits the script of the worker, and the policy forbids a worker made from text.
    assert.deepEqual(comparable(await reportOf(dist, STRICT)), WITHOUT_WORKERS);
  });
}

test("Parcel builds a page with slim and the WebAssembly as a file", async () => {
  const folder = project(tools, "slim-parcel");
  await run(tools, folder, PARCEL);
  // Without a policy, because Parcel writes addresses of files into an inline script.
  assert.deepEqual(comparable(await reportOf(join(folder, "dist"))), EVERYTHING);
});

test("if a bundler omits the script of the worker, a page can pass its address", async () => {
  const folder = project(tools, "worker-url");
  await run(tools, folder, PARCEL);
  copyFileSync(join(folder, "node_modules/adjudicate/dist/worker.js"), join(folder, "dist/gate-worker.js"));
  assert.deepEqual(comparable(await reportOf(join(folder, "dist"), STRICT)), EVERYTHING);
});

for (const [name, command] of Object.entries({ webpack: WEBPACK, Rollup: ROLLUP, Parcel: PARCEL })) {
  test(`${name} drops the parts that a page does not use`, async () => {
    const folder = project(tools, "unused", `unused-${name.toLowerCase()}`);
    await run(tools, folder, command);
    await checkUnused(join(folder, "dist"));
  });
}

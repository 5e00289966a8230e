/** The packed package in Node, and in pages that Vite and esbuild made, without configuration. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { createServer } from "vite";

import { EVERYTHING, WITHOUT_WORKERS, comparable } from "../support/given.mjs";
import { STRICT, reportAt, reportOf } from "../support/page.mjs";
import { run } from "../support/programs.mjs";
import { checkUnused } from "../support/shaken.mjs";
import { project } from "../support/work.mjs";

const tools = fileURLToPath(new URL(".", import.meta.url));

test("Node: imported, required, and slim", async () => {
  const folder = project(tools, "node");
  for (const entry of ["main.mjs", "main.cjs", "slim.mjs"]) {
    const report = JSON.parse(await run(tools, folder, ["node", entry]));
    assert.deepEqual(comparable(report), EVERYTHING, entry);
  }
});

test("esbuild, for Node", async () => {
  const folder = project(tools, "node", "esbuild-node");
  for (const [format, entry] of [["esm", "main.mjs"], ["cjs", "main.cjs"]]) {
    const file = `dist/bundle.${format === "esm" ? "mjs" : "cjs"}`;
    await run(tools, folder, ["esbuild", entry, "--bundle", "--platform=node", `--format=${format}`, `--outfile=${file}`]);
    assert.deepEqual(comparable(JSON.parse(await run(tools, folder, ["node", file]))), EVERYTHING, format);
  }
});

test("esbuild, for a page", async () => {
  const folder = project(tools, "page", "esbuild");
  await run(tools, folder, ["esbuild", "main.js", "--bundle", "--minify", "--format=esm", "--outdir=dist"]);
  const dist = join(folder, "dist");
  assert.deepEqual(comparable(await reportOf(dist)), EVERYTHING);
  // esbuild omits the script of the worker, and the policy forbids a worker made from text.
  assert.deepEqual(comparable(await reportOf(dist, STRICT)), WITHOUT_WORKERS);
  copyFileSync(join(folder, "node_modules/adjudicate/dist/worker.js"), join(dist, "worker.js"));
  assert.deepEqual(comparable(await reportOf(dist, STRICT)), EVERYTHING);
});

for (const [consumer, what] of [["page", "a page"], ["slim-vite", "a page with slim and the WebAssembly as a file"]]) {
  test(`Vite builds ${what}`, async () => {
    const folder = project(tools, consumer, `vite-${consumer}`);
    await run(tools, folder, ["vite", "build"]);
    assert.deepEqual(comparable(await reportOf(join(folder, "dist"), STRICT)), EVERYTHING);
  });
}

test("Vite serves a page in development", async () => {
  const folder = project(tools, "page", "vite-dev");
  const listen = { host: "127.0.0.1", port: 0 };
  const server = await createServer({ root: folder, configFile: false, logLevel: "warn", server: listen });
  try {
    await server.listen();
    const { port } = server.httpServer.address();
    assert.deepEqual(comparable(await reportAt(`http://127.0.0.1:${port}/`)), EVERYTHING);
  } finally {
    await server.close();
  }
});

test("esbuild and Vite drop the parts that a page does not use", async () => {
  const folder = project(tools, "unused");
  await run(tools, folder, ["esbuild", "main.js", "--bundle", "--minify", "--format=esm", "--outdir=dist-esbuild"]);
  await checkUnused(join(folder, "dist-esbuild"));
  await run(tools, folder, ["vite", "build"]);
  await checkUnused(join(folder, "dist"));
});

// Serves the folder with the installed npm package, opens a page of it in headless Chromium, and prints the page's
// report.

import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { withPage } from "../../js/scripts/browser.mjs";
import { corpus, finish } from "./report.mjs";

const { ADJUDICATE_CONSUMER: folder, ADJUDICATE_CORPUS: bundle, ADJUDICATE_ENGINE: engine, ADJUDICATE_BAKED: baked } = process.env;

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/** Files from outside of the folder. */
const ELSEWHERE = { "/corpus.ndjson": bundle, "/engine.wasm": engine };

/** The modules that policies were baked into, by name. */
const MODULES = readdirSync(baked).sort();
if (MODULES.length === 0) throw new Error(`there is nothing in ${baked}`);
for (const name of MODULES) ELSEWHERE[`/baked/${name}`] = join(baked, name);

/** Generated responses, which are no files. */
const MADE = { "/": page, "/baked.json": () => JSON.stringify(MODULES) };

/** A page that can import the package by its name, as with a bundler. */
function page() {
  const { exports } = JSON.parse(readFileSync(join(folder, "node_modules/adjudicate/package.json"), "utf8"));
  const imports = Object.fromEntries(
    [".", "./evaluate", "./evaluate.wasm"].map((entry) => [join("adjudicate", entry), join("/node_modules/adjudicate", exports[entry].import.default)]),
  );
  return `<!doctype html><meta charset="utf-8"><title>corpus</title>
<script type="importmap">${JSON.stringify({ imports })}</script>`;
}

const server = createServer((request, response) => {
  // The path begins with `/`, so its normal form is inside of the folder.
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  const file = ELSEWHERE[path] ?? join(folder, path);
  try {
    const content = MADE[path]?.() ?? readFileSync(file);
    response.setHeader("content-type", path === "/" ? "text/html" : TYPES[extname(file)] ?? "text/plain");
    response.end(content);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});

await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
try {
  const reports = await withPage(async (tab) => {
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    return tab.evaluate(() => import("/page.mjs").then(({ reports }) => reports()));
  });
  finish(corpus(), reports);
} finally {
  server.closeAllConnections();
  server.close();
}

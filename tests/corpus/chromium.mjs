// Serves the folder that the npm package is installed in, opens a page of it in headless Chromium, and prints what
// the page reports.

import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { withPage } from "../../js/scripts/browser.mjs";
import { corpus, finish } from "./report.mjs";

const { ADJUDICATE_CONSUMER: folder, ADJUDICATE_CORPUS: bundle, ADJUDICATE_ENGINE: engine, ADJUDICATE_BAKED: baked } = process.env;

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/** What is served from elsewhere. */
const ELSEWHERE = { "/corpus.json": bundle, "/engine.wasm": engine };

/** The modules that policies were baked to, by name. */
const MODULES = readdirSync(baked).sort();
if (MODULES.length === 0) throw new Error(`there is nothing in ${baked}`);
for (const name of MODULES) ELSEWHERE[`/baked/${name}`] = join(baked, name);

/** What is served that is no file. */
const MADE = { "/": page, "/baked.json": () => JSON.stringify(MODULES) };

/** A page on which the package can be imported by its name, as a bundler would resolve it. */
function page() {
  const { exports } = JSON.parse(readFileSync(join(folder, "node_modules/adjudicate/package.json"), "utf8"));
  const imports = { adjudicate: join("/node_modules/adjudicate", exports["."].import.default) };
  return `<!doctype html><meta charset="utf-8"><title>corpus</title>
<script type="importmap">${JSON.stringify({ imports })}</script>`;
}

const server = createServer((request, response) => {
  // The path begins with `/`, so that normalising it cannot lead out of the folder.
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

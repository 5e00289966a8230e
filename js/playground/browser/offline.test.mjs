/** The page offline: from its service worker, and from a folder on any server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { HEADER_POLICY, META_POLICY } from "../build/csp.ts";
import { artifact, evaluation } from "./support/documents.mjs";
import { answerIn, openView, region, shows, statusIn, write } from "./support/page.mjs";
import { built, serve } from "./support/site.mjs";
import { becomes, visit, visiting } from "./support/visit.mjs";

const PLAYGROUND = fileURLToPath(new URL("..", import.meta.url));
const isKept = (page) => becomes(() => page.locator("#offline").textContent(), "Works offline.");

test("after the first visit the page needs no server: it reloads, decides, and runs modules", async () => {
  const site = await serve();
  // The browser's search for a newer service worker fails.
  const expected = (fault) => fault.includes("net::ERR_CONNECTION_REFUSED") || fault.includes("service-worker.js");
  try {
    await visiting({ site, expected }, async ({ page, context }) => {
      await isKept(page);
      await site.close();
      await context.setOffline(true);
      await page.reload();
      await page.waitForSelector("html[data-ready]", { state: "attached" });
      const { envelope, policy, answer } = evaluation("run-docs-only-clean");
      await write(page, "Policy", policy);
      await write(page, "Envelope", envelope);
      await becomes(() => answerIn(region(page, "Decision")), answer);
      await openView(page, "Module");
      await page.setInputFiles("#module-file", artifact("guests", "wat.wasm"));
      await becomes(() => statusIn(page.locator("#module-answer")).catch(() => ""), /^(success|partial|needs_human|blocked|unsafe)$/);
      // Another page of the same browser, by its address with a link.
      const other = await context.newPage();
      await other.goto(`${site.url}#v1.`);
      await shows(other, "Decision", "unsafe");
    });
  } finally {
    await site.close().catch(() => undefined);
  }
});

const BLOCKED = { serviceWorkers: "block", expected: (fault) => fault.includes("Service Worker registration blocked") };

visit("an open page works without the network, even if it cannot store anything", BLOCKED, async ({ page, context }) => {
  await context.setOffline(true);
  const { envelope, policy, answer } = evaluation("run-docs-only-clean");
  await write(page, "Policy", policy);
  await write(page, "Envelope", envelope);
  await becomes(() => answerIn(region(page, "Decision")), answer);
});

test("the page contains its security policy, for servers that send none", () => {
  const html = built("/").toString();
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html);
  assert.equal(policy.replaceAll("&#39;", "'"), META_POLICY);
  // Links of the reader are no requests of the page.
  const withoutLinks = html.replaceAll(/<a href="https:[^"]*">/g, "");
  assert.doesNotMatch(withoutLinks, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
});

test("the notices of the bundled packages are in the folder", () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const bundled = Object.entries(devDependencies).filter(([name]) => /^@(codemirror|lezer)\//.test(name));
  const notices = built("/licenses.md").toString();
  assert.ok(bundled.length > 5);
  for (const [name, version] of bundled) assert.ok(notices.includes(`## ${name} - ${version} (`), name);
});

test("the server of `cargo xtask playground` sends the security policy", async () => {
  const port = await freePort();
  const vite = [fileURLToPath(new URL("../node_modules/vite/bin/vite.js", import.meta.url)), "preview", "--port", String(port)];
  const server = spawn(process.execPath, vite, { cwd: PLAYGROUND, stdio: ["ignore", "pipe", "inherit"] });
  try {
    for await (const line of createInterface({ input: server.stdout })) if (line.includes(String(port))) break;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal(response.headers.get("content-security-policy"), HEADER_POLICY);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), built("/"));
  } finally {
    server.kill();
    await once(server, "exit");
  }
});

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

// Bundles in a browser: a folder is served under a policy of script sources, and the page's report is read.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { withPage } from "../../../js/scripts/browser.mjs";

/** The strictest policy that allows WebAssembly. */
export const STRICT = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const PAGE = '<!doctype html><meta charset="utf-8"><script type="module" src="/main.js"></script>';

/**
 * Opens a folder, with or without a Content-Security-Policy, and returns the page's report. A folder without an
 * `index.html` gets one that loads `main.js`.
 */
export async function reportOf(folder, policy) {
  const server = createServer(({ url }, response) => {
    // The path begins with `/`, so its normal form is inside of the folder.
    const path = normalize(new URL(url, "http://localhost").pathname);
    const file = path === "/" ? "/index.html" : path;
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
    const content = read(join(folder, file)) ?? (path === "/" ? PAGE : undefined);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    return await reportAt(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The report of the page at an address. A policy is added as if the page's server had sent it. */
export function reportAt(address, policy) {
  return withPage(async (page) => {
    const messages = [];
    if (policy !== undefined) await page.context().route("**/*", (route) => answerUnder(policy, route));
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
    await page.goto(address);
    try {
      const report = await page.waitForFunction(() => globalThis.report, undefined, { timeout: 120_000 });
      return await report.jsonValue();
    } catch (error) {
      throw new Error(`the page reports nothing; its console:\n${messages.join("\n")}`, { cause: error });
    }
  });
}

async function answerUnder(policy, route) {
  const response = await route.fetch();
  await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
}

function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

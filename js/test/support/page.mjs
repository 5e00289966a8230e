/** Runs code in a page with the installed package, under a content security policy. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, normalize } from "node:path";

import { executable, withPage } from "../../scripts/browser.mjs";
import { installedFile } from "./installed.mjs";

/** The reason why tests in a browser are skipped, or false. */
export const skip = executable() === undefined && "there is no Chromium";

const PAGE = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
const TYPES = { "": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/**
 * Runs a module in a page under a content security policy. Returns the value of `globalThis.result`. `folder` has the installed package, `more`
 * returns the text of other files by their URLs, and may replace the page. `flags` are further flags of the browser.
 */
export async function inPage(folder, policy, script, more = () => undefined, flags = []) {
  const server = createServer(({ url }, response) => {
    response.setHeader("content-type", TYPES[extname(url)] ?? "text/plain");
    response.setHeader("content-security-policy", `default-src 'self'; img-src data:; ${policy}`);
    try {
      const written = more(url) ?? { "/": PAGE, "/page.js": script }[url];
      response.end(written ?? readFileSync(installedFile(folder, "dist", normalize(url))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const result = await page.waitForFunction(() => globalThis.result, undefined, { timeout: 300_000 });
      return await result.jsonValue();
    }, flags);
  } finally {
    server.close();
  }
}

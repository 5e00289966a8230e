/**
 * Runs a function with a page of headless Chromium. The browser is `CHROMIUM`, or `chromium` on the path. It gets a new profile and connects to
 * this machine only.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env } from "node:process";

import { chromium } from "playwright-core";

/** The flags of the browser. */
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Runs `use(page)`, and always closes the browser. `flags` are further flags. */
export async function withPage(use, flags = []) {
  const executablePath = executable();
  if (executablePath === undefined) throw new Error("Chromium not found: install `chromium`, or set CHROMIUM to its path");
  const profile = mkdtempSync(join(tmpdir(), "adjudicate-chromium-"));
  try {
    const context = await chromium.launchPersistentContext(profile, { executablePath, args: [...FLAGS, ...flags] });
    try {
      const page = context.pages()[0] ?? (await context.newPage());
      page.on("pageerror", (error) => console.error(`page error: ${error.message}`));
      return await use(page);
    } finally {
      await context.close();
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the path of Chromium, or `undefined`. */
export function executable() {
  return env.CHROMIUM ?? inPath(["chromium", "chromium-browser", "google-chrome"]);
}

/** Returns the path of the first program that is there, or `undefined`. */
export function inPath(names) {
  const folders = (env.PATH ?? "").split(delimiter);
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate));
}

/**
 * A headless Chromium with one page, for the time of one function. The browser is `CHROMIUM`, or `chromium` on the
 * path; it gets a fresh profile and talks to nobody but this machine.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env } from "node:process";

import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** How it is started. */
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

/** Runs `use(page)`, and closes the browser whatever happens; `flags` are more of the browser's. */
export async function withPage(use, flags = []) {
  const executablePath = executable();
  if (executablePath === undefined) throw new Error("no Chromium: install `chromium`, or set CHROMIUM to the path of one");
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

/** The path of the browser, if there is one. */
export function executable() {
  if (env.CHROMIUM !== undefined) return env.CHROMIUM;
  const folders = (env.PATH ?? "").split(delimiter);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate));
}

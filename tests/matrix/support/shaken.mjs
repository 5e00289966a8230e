// What bundlers leave out: of a page that uses one class of the package, the engine and everything else.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { STRICT, reportOf } from "./page.mjs";

/** More than a class and a bundler's own code have, and much less than the engine. */
const MOST_BYTES = 8_000;

/** Holds what a bundler made of the consumer `unused` to what it uses. */
export async function checkUnused(folder) {
  const scripts = readdirSync(folder, { recursive: true }).filter((file) => /\.m?js$/.test(file));
  const bytes = scripts.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes of ${scripts.join(", ")}, and ${MOST_BYTES} are allowed`);
  const report = { error: { code: "of_my_own", message: "the engine is not used", path: "/here" } };
  assert.deepEqual(await reportOf(folder, STRICT), report);
}

// Tree shaking of bundlers: if a page uses one class of the package, its bundle has neither the engine nor any other
// part.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { STRICT, reportOf } from "./page.mjs";

/** More than a class and a bundler's own code, and much less than the engine. */
const MOST_BYTES = 8_000;

/** Checks that a bundle of the consumer `unused` has only the used parts. */
export async function checkUnused(folder) {
  const scripts = readdirSync(folder, { recursive: true }).filter((file) => /\.m?js$/.test(file));
  const bytes = scripts.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes of ${scripts.join(", ")}, and ${MOST_BYTES} are allowed`);
  const report = { error: { code: "of_my_own", message: "the engine is not used", path: "/here" } };
  assert.deepEqual(await reportOf(folder, STRICT), report);
}

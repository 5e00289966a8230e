/** The JSON Schemas in the package. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { install, installedFile, root } from "./support/installed.mjs";

const folder = install();
const sources = join(root, "..", "docs", "schemas");
const names = (files) => files.filter((file) => file.endsWith(".schema.json")).sort();

test("the package has each schema of docs/schemas, under its name", () => {
  const packed = names(readdirSync(installedFile(folder, "dist", "schemas")));
  assert.deepEqual(packed, names(readdirSync(sources)));
  const require = createRequire(join(folder, "index.js"));
  for (const file of packed) {
    assert.deepEqual(require(`adjudicate/schemas/${file}`), JSON.parse(readFileSync(join(sources, file), "utf8")), file);
  }
});

/** The declarations, as strict users of TypeScript meet them: imported, required, and through a bundler. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { install, installedFile, root } from "./support/installed.mjs";
import { faultsOf } from "./support/tsc.mjs";

const folder = install();

for (const [what, sources, options] of [
  ["imported in Node", { "consumer.mts": "consumer.ts", "planning.mts": "planning.ts", "plans.mts": "plans.ts", "modules.mts": "modules.ts" }, { module: "NodeNext", lib: ["ES2022"] }],
  ["required in Node", { "consumer.cts": "consumer.ts", "planning.cts": "planning.ts", "plans.cts": "plans.ts", "modules.cts": "modules.ts" }, { module: "NodeNext", lib: ["ES2022"] }],
  ["slim, imported", { "slim.mts": "slim.ts" }, { module: "NodeNext", lib: ["ES2022", "DOM"] }],
  ["slim, required", { "slim.cts": "slim.ts" }, { module: "NodeNext", lib: ["ES2022", "DOM"], esModuleInterop: true }],
  [
    "through a bundler",
    { "consumer.ts": "consumer.ts", "planning.ts": "planning.ts", "plans.ts": "plans.ts", "modules.ts": "modules.ts", "slim.ts": "slim.ts" },
    { module: "ESNext", moduleResolution: "Bundler", lib: ["ES2022", "DOM"] },
  ],
]) {
  test(`the declarations hold when ${what}`, () => {
    for (const [target, source] of Object.entries(sources)) {
      copyFileSync(join(root, "test", "consumer", source), join(folder, target));
    }
    assert.equal(faultsOf(folder, Object.keys(sources), options), "");
  });
}

test("no declaration says `any`, `bigint` or `Map`", () => {
  for (const file of [
    "engine.d.ts",
    "load.d.ts",
    "manifest.d.ts",
    "module.d.ts",
    "operations.d.ts",
    "planning.d.ts",
    "plans.d.ts",
    "policy.d.ts",
    "error.d.ts",
    "text.d.ts",
    "index.d.ts",
    "generated/types.d.ts",
  ]) {
    const text = readFileSync(installedFile(folder, "dist", file), "utf8").replaceAll(/\/\*\*[^]*?\*\//g, "");
    assert.doesNotMatch(text, /\b(any|bigint|Map)\b/, file);
  }
});

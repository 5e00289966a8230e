/** The declarations, as strict users of TypeScript meet them: imported, required, and through a bundler. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { test } from "node:test";

import { install, installedFile, root } from "./support/installed.mjs";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
const folder = install();

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: "ES2022",
  types: [],
};

for (const [what, sources, options] of [
  ["imported in Node", { "consumer.mts": "consumer.ts" }, { module: "NodeNext", lib: ["ES2022"] }],
  ["required in Node", { "consumer.cts": "consumer.ts" }, { module: "NodeNext", lib: ["ES2022"] }],
  ["slim, imported", { "slim.mts": "slim.ts" }, { module: "NodeNext", lib: ["ES2022", "DOM"] }],
  ["slim, required", { "slim.cts": "slim.ts" }, { module: "NodeNext", lib: ["ES2022", "DOM"], esModuleInterop: true }],
  [
    "through a bundler",
    { "consumer.ts": "consumer.ts", "slim.ts": "slim.ts" },
    { module: "ESNext", moduleResolution: "Bundler", lib: ["ES2022", "DOM"] },
  ],
]) {
  test(`the declarations hold when ${what}`, () => {
    for (const [target, source] of Object.entries(sources)) {
      copyFileSync(join(root, "test", "consumer", source), join(folder, target));
    }
    const config = join(folder, "tsconfig.json");
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(sources) }));
    const { status, stdout } = spawnSync(execPath, [tsc, "--project", config], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}

test("no declaration says `any`, `bigint` or `Map`", () => {
  for (const file of ["engine.d.ts", "policy.d.ts", "error.d.ts", "text.d.ts", "index.d.ts", "generated/types.d.ts"]) {
    const text = readFileSync(installedFile(folder, "dist", file), "utf8").replaceAll(/\/\*\*[^]*?\*\//g, "");
    assert.doesNotMatch(text, /\b(any|bigint|Map)\b/, file);
  }
});

/** The declarations in strict TypeScript: imported, required, and through a bundler. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { install, installedFile, root } from "./support/installed.mjs";
import { faultsOf } from "./support/tsc.mjs";

const folder = install();

/** Code of users without the platform's declarations, and with them. */
const PLAIN = ["agent-hooks", "ai", "collect", "consumer", "modules", "plans", "run", "verdict"];
const WITH_DOM = ["evaluate", "slim"];

/** The same sources, as Node takes them by their names and as bundlers do. */
const RESOLUTIONS = [
  ...["Node16", "NodeNext"].flatMap((moduleResolution) => [
    [`imported, ${moduleResolution}`, ".mts", { module: moduleResolution, moduleResolution }],
    [`required, ${moduleResolution}`, ".cts", { module: moduleResolution, moduleResolution, esModuleInterop: true }],
  ]),
  ["through a bundler", ".ts", { module: "ESNext", moduleResolution: "Bundler" }],
];

/** Compiles sources of the folder `consumer`. */
function compiled(names, extension, options) {
  const files = names.map((name) => {
    copyFileSync(join(root, "test", "consumer", `${name}.ts`), join(folder, name + extension));
    return name + extension;
  });
  return faultsOf(folder, files, options);
}

for (const [what, extension, options] of RESOLUTIONS) {
  test(`the declarations hold when ${what}`, () => {
    assert.equal(compiled(PLAIN, extension, { ...options, lib: ["ES2022"] }), "");
    assert.equal(compiled(WITH_DOM, extension, { ...options, lib: ["ES2022", "DOM"] }), "");
  });
}

test("the gates fit the types of their SDKs", () => {
  for (const name of ["ai", "ai-6", "@ai-sdk", "@openai", "zod"]) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  // The declarations of the SDKs need the types of Node, and are not checked.
  const options = { module: "NodeNext", lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.AsyncIterable"], skipLibCheck: true };
  assert.equal(compiled(["ai-sdk", "ai-sdk-6", "langchain-sdk", "openai-sdk"], ".mts", options), "");
});

test("no declaration has `any`, `bigint` or `Map`", () => {
  const files = readdirSync(installedFile(folder, "dist"), { recursive: true }).filter((file) => /\.d\.c?ts$/.test(file));
  assert.ok(files.length > 30, files.join(" "));
  for (const file of files) {
    const text = readFileSync(installedFile(folder, "dist", file), "utf8").replaceAll(/\/\*\*[^]*?\*\//g, "");
    assert.doesNotMatch(text, /\b(any|bigint|Map)\b/, file);
  }
});

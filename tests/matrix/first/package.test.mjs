/** The packed package, checked by tools for package authors, and the environments that its README lists. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { run } from "../support/programs.mjs";

const tools = fileURLToPath(new URL(".", import.meta.url));
const read = (path) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");

test("publint reports nothing", async () => {
  const bytes = readFileSync(env.ADJUDICATE_PACKAGE);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
});

test("attw finds every entry, with its types, however it is resolved", async () => {
  // The script of the worker is served, and never imported.
  const command = ["attw", env.ADJUDICATE_PACKAGE, "--format", "json", "--exclude-entrypoints", "./worker.js"];
  const { analysis } = JSON.parse(await run(tools, tools, command));
  const entries = Object.keys(JSON.parse(read("../../../js/package.json")).exports);
  assert.deepEqual(Object.keys(analysis.entrypoints).sort(), entries.filter((entry) => entry !== "./worker.js").sort());
  assert.deepEqual(analysis.problems, []);
});

/** The names in the README of the tools that build and run consumers. */
const NAMES = { bun: "Bun", deno: "Deno", esbuild: "esbuild", next: "Next.js", parcel: "Parcel", rollup: "Rollup", vite: "Vite", webpack: "webpack", wrangler: "Wrangler" };

/** The other packages: plugins, and tools that inspect the package without running it. */
const BESIDE = ["@arethetypeswrong/cli", "@rollup/plugin-node-resolve", "miniflare", "publint", "react", "react-dom", "webpack-cli"];

test("the README lists the environments and the tested versions", () => {
  const readme = read("../../../js/README.md");
  const [, section] = /\n## Platforms\n([^]*?)\n## /.exec(readme) ?? assert.fail("there is no such section");
  const packages = ["./package.json", "../rest/package.json"].map((file) => JSON.parse(read(file)).devDependencies);
  const versions = Object.assign({}, ...packages);
  assert.deepEqual(Object.keys(versions).filter((name) => !(name in NAMES)).sort(), BESIDE);
  const listed = [...section.matchAll(/([A-Z]?[\w.]*[a-z]) (\d+\.\d+\.\d+)/g)].map(([, name, version]) => `${name} ${version}`);
  assert.deepEqual(listed.sort(), Object.entries(NAMES).map(([name, shown]) => `${shown} ${versions[name]}`).sort());
});

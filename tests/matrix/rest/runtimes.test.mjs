/** The packed package in runtimes other than Node, without configuration. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Miniflare } from "miniflare";

import { EVERYTHING, WITHOUT_MODULES, comparable } from "../support/given.mjs";
import { run } from "../support/programs.mjs";
import { project } from "../support/work.mjs";

const tools = fileURLToPath(new URL(".", import.meta.url));

test("Bun: imported, required, and slim", async () => {
  const folder = project(tools, "node", "bun");
  for (const entry of ["main.mjs", "main.cjs", "slim.mjs"]) {
    assert.deepEqual(comparable(JSON.parse(await run(tools, folder, ["bun", entry]))), EVERYTHING, entry);
  }
});

test("Deno, without any permission: imported, and required", async () => {
  const folder = project(tools, "node", "deno");
  for (const entry of ["main.mjs", "main.cjs"]) {
    const report = JSON.parse(await run(tools, folder, ["deno", "run", "--no-prompt", entry]));
    assert.deepEqual(comparable(report), EVERYTHING, entry);
  }
});

test("workerd, by Wrangler", async () => {
  const folder = project(tools, "workerd");
  const compatibilityDate = "2026-04-01";
  const build = ["wrangler", "deploy", "worker.js", "--name", "gate", "--compatibility-date", compatibilityDate];
  await run(tools, folder, [...build, "--dry-run", "--outdir", "dist"]);
  const dist = join(folder, "dist");
  const wasm = readdirSync(dist).filter((file) => file.endsWith(".wasm"));
  const modules = [{ type: "ESModule", path: join(dist, "worker.js") }, ...wasm.map((file) => ({ type: "CompiledWasm", path: join(dist, file) }))];
  const miniflare = new Miniflare({ compatibilityDate, modulesRoot: dist, modules });
  try {
    const response = await miniflare.dispatchFetch("http://localhost/");
    assert.equal(response.status, 200);
    assert.deepEqual(comparable(await response.json()), WITHOUT_MODULES);
  } finally {
    await miniflare.dispose();
  }
});

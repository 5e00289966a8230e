/** The sizes of the package's parts, with the budgets of `budgets.mjs`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";

import { build } from "esbuild";

import { install, installedFile, root } from "../../../js/test/support/installed.mjs";
import { BUDGETS } from "../budgets.mjs";

const folder = install();

function brotli(bytes) {
  const { BROTLI_MAX_QUALITY, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

/** Omits the WebAssembly, inlined or not, and the SDKs. */
const withoutWasm = {
  name: "without-wasm",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /generated.inline\.js$/ }, () => ({ contents: 'export const base64 = "";' }));
    onResolve({ filter: /\.wasm(\?module)?$|^@?langchain|^node:/ }, ({ path }) => ({ path, external: true }));
  },
};

/** A script with all its imports, as a page gets it. */
async function bundled(file, plugins = [withoutWasm]) {
  const options = { bundle: true, format: "esm", minify: true, write: false, logLevel: "warning" };
  const { outputFiles } = await build({ ...options, entryPoints: [installedFile(folder, "dist", file)], plugins });
  return outputFiles[0].contents;
}

/** The package's own bundle, with the WebAssembly as a string. */
async function required(file) {
  const text = readFileSync(installedFile(folder, "dist", file), "utf8").replace(/"[A-Za-z0-9+/=]{100000,}"/, '""');
  const { outputFiles } = await build({ stdin: { contents: text }, minify: true, write: false, logLevel: "warning" });
  return outputFiles[0].contents;
}

const SIZES = {
  "engine.wasm of the module interface": () => brotli(readFileSync(env.ADJUDICATE_ENGINE)),
  "adjudicate/engine.wasm": () => brotli(readFileSync(installedFile(folder, "dist", "engine.wasm"))),
  "adjudicate/evaluate.wasm": () => brotli(readFileSync(installedFile(folder, "dist", "evaluate.wasm"))),
  "adjudicate, with its WebAssembly": async () => brotli(await bundled("index.js", [])),
  adjudicate: async () => brotli(await bundled("index.js")),
  "adjudicate/slim": async () => brotli(await bundled("slim.js")),
  "adjudicate/evaluate": async () => brotli(await bundled("evaluate.js")),
  "adjudicate/run": async () => brotli(await bundled("run.js")),
  "adjudicate/ai": async () => brotli(await bundled("ai/index.js")),
  "adjudicate/openai": async () => brotli(await bundled("openai/index.js")),
  "adjudicate/langchain": async () => brotli(await bundled("langchain/index.js")),
  "adjudicate/agent-hooks": async () => brotli(await bundled("agent-hooks/index.js")),
  "adjudicate/collect": async () => brotli(await bundled("collect/index.js")),
  "adjudicate/collect, its WebAssembly": () => brotli(readFileSync(installedFile(folder, "dist", "collect.wasm"))),
  "adjudicate/verdict": async () => brotli(await bundled("verdict/index.js")),
  "npx adjudicate, its WebAssembly": () => brotli(readFileSync(installedFile(folder, "dist", "command.wasm"))),
  "adjudicate on workerd": async () => brotli(await bundled("workerd.js")),
  "adjudicate on edge runtimes": async () => brotli(await bundled("edge.js")),
  "adjudicate, required": async () => brotli(await required("index.cjs")),
  "adjudicate/slim, required": async () => brotli(await required("slim.cjs")),
  "adjudicate/evaluate, required": async () => brotli(await required("evaluate.cjs")),
  "adjudicate/run, required": async () => brotli(await required("run.cjs")),
  "adjudicate/ai, required": async () => brotli(await required("ai/index.cjs")),
  "adjudicate/openai, required": async () => brotli(await required("openai/index.cjs")),
  "adjudicate/langchain, required": async () => brotli(await required("langchain/index.cjs")),
  "adjudicate/agent-hooks, required": async () => brotli(await required("agent-hooks/index.cjs")),
  "adjudicate/collect, required": async () => brotli(await required("collect/index.cjs")),
  "adjudicate/verdict, required": async () => brotli(await required("verdict/index.cjs")),
  "adjudicate/worker.js": () => brotli(readFileSync(installedFile(folder, "dist", "worker.js"))),
  "the package, packed": () => readFileSync(env.ADJUDICATE_PACKAGE).length,
};

test("every size has a budget, and every budget a size", () => {
  assert.deepEqual(Object.keys(SIZES), Object.keys(BUDGETS));
});

for (const [what, budget] of Object.entries(BUDGETS)) {
  test(`${what} has at most ${budget} bytes`, async (context) => {
    const bytes = await SIZES[what]();
    context.diagnostic(`${bytes} bytes of ${budget}`);
    assert.ok(bytes <= budget, `${what} has ${bytes} bytes, ${bytes - budget} more than tests/matrix/budgets.mjs allows`);
  });
}

test("the README has these sizes in KB, rounded", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const table = readme.split("## Entries")[1].split("## The command")[0];
  const rows = [...table.matchAll(/^\| (`.*?) \|.*\| ([\d,]+)(?: to ([\d,]+))? \|$/gm)];
  assert.ok(rows.length >= 7, `${rows.length}`);
  const stated = rows.flatMap(([, names, from, to = from]) =>
    [...names.matchAll(/`(?:adjudicate)?(.*?)`/g)].map(([, name]) => [`adjudicate${name || ", with its WebAssembly"}`, from, to]),
  );
  const [, collect] = /`collect.wasm` of ([\d,]+)/.exec(table);
  const [, command] = /as WebAssembly \(([\d,]+) KB\)/.exec(readme);
  stated.push(["adjudicate/collect, its WebAssembly", collect, collect], ["npx adjudicate, its WebAssembly", command, command]);
  for (const [name, ...ends] of stated) {
    const measured = (await SIZES[name]()) / 1000;
    const [least, most] = ends.map((end) => Number(end.replace(",", "")));
    assert.ok(measured > least * 0.97 - 1 && measured < most * 1.03 + 1, `${name}: ${measured} KB, and the README says ${least} to ${most}`);
  }
});

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

const ENTRIES = { adjudicate: "index", "adjudicate/slim": "slim", "adjudicate/evaluate": "evaluate", "adjudicate/run": "run" };
for (const name of ["ai", "openai", "langchain", "agent-hooks", "collect", "verdict"]) ENTRIES[`adjudicate/${name}`] = `${name}/index`;
const sizesOf = (measure) => Object.entries(ENTRIES).map(([name, file]) => measure(name, file));
const packed = (file) => () => brotli(readFileSync(installedFile(folder, "dist", file)));

const SIZES = {
  "engine.wasm of the module interface": () => brotli(readFileSync(env.ADJUDICATE_ENGINE)),
  "adjudicate/engine.wasm": packed("engine.wasm"),
  "adjudicate/evaluate.wasm": packed("evaluate.wasm"),
  "adjudicate, with its WebAssembly": async () => brotli(await bundled("index.js", [])),
  ...Object.fromEntries(sizesOf((name, file) => [name, async () => brotli(await bundled(`${file}.js`))])),
  "adjudicate/collect, its WebAssembly": packed("collect.wasm"),
  "npx adjudicate, its WebAssembly": packed("command.wasm"),
  "adjudicate on workerd": async () => brotli(await bundled("workerd.js")),
  "adjudicate on edge runtimes": async () => brotli(await bundled("edge.js")),
  ...Object.fromEntries(sizesOf((name, file) => [`${name}, required`, async () => brotli(await required(`${file}.cjs`))])),
  "adjudicate/worker.js": packed("worker.js"),
  "the package, packed": () => readFileSync(env.ADJUDICATE_PACKAGE).length,
};

test("every size has a budget, and every budget a size", () => {
  assert.deepEqual(Object.keys(SIZES).sort(), Object.keys(BUDGETS).sort());
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

/** The sources of the engine's WebAssembly, and their errors. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

import { build } from "esbuild";

import { envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";

const folder = install();

/** Runs a function while a part of `WebAssembly` is replaced. */
async function replacing(name, replacement, run) {
  const original = WebAssembly[name];
  WebAssembly[name] = replacement;
  try {
    return await run();
  } finally {
    WebAssembly[name] = original;
  }
}

test("importing the package compiles nothing", async () => {
  const forbidden = () => assert.fail("compiled at import time");
  await replacing("compile", forbidden, () => replacing("Module", forbidden, () => bothForms(folder)));
});

for (const [form, { main, slim }] of Object.entries(await bothForms(folder))) {
  const { AdjudicateError } = slim;
  const wasm = readFileSync(installedFile(folder, "dist", "engine.wasm"));
  const works = (engine) => assert.equal(engine.evaluate(envelope()).decision.status, "success");

  test(`a failure to compile is not kept (${form})`, async () => {
    const failing = () => Promise.reject(new WebAssembly.CompileError("forbidden here"));
    await replacing("compile", failing, async () => {
      const outcomes = await Promise.allSettled([main.createEngine(), main.createEngine()]);
      for (const { reason } of outcomes) {
        assert.ok(reason instanceof main.AdjudicateError, String(reason));
        assert.equal(reason.code, "engine_load");
        assert.match(reason.message, /forbidden here/);
      }
    });
    works(await main.createEngine());
  });

  test(`the WebAssembly is compiled once (${form})`, async () => {
    await main.createEngine();
    const forbidden = () => assert.fail("compiled again");
    await replacing("compile", forbidden, async () => works(await main.createEngine()));
    await replacing("Module", forbidden, async () => works(main.createEngineSync()));
  });

  test(`slim takes bytes, modules and responses (${form})`, async () => {
    const module = new WebAssembly.Module(wasm);
    const buffer = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
    const foreign = runInNewContext("new WebAssembly.Module(bytes)", { bytes: wasm });
    for (const source of [wasm, buffer, module, foreign]) {
      works(slim.createEngineSync(source));
      works(await slim.createEngine(source));
      works(await slim.createEngine(Promise.resolve(source)));
    }
    works(await slim.createEngine(new Response(wasm)));
    works(await slim.createEngine(Promise.resolve(new Response(wasm))));
  });

  test(`slim fails with the reason (${form})`, async () => {
    const foreign = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
    for (const source of [png, new Uint8Array(0), wasm.subarray(0, 1000), foreign, undefined, "engine.wasm", {}]) {
      assert.throws(() => slim.createEngineSync(source), { name: "AdjudicateError", code: "engine_load" });
      await assert.rejects(slim.createEngine(source), { name: "AdjudicateError", code: "engine_load" });
    }
    for (const fetched of [
      async () => new Response("not found", { status: 404 }),
      async () => new Response("<!doctype html>"),
      async () => Promise.reject(new TypeError("no network")),
    ]) {
      await assert.rejects(slim.createEngine(fetched()), (error) => {
        assert.ok(error instanceof AdjudicateError);
        assert.equal(error.code, "engine_load");
        return true;
      });
    }
  });
}

for (const condition of ["workerd", "edge-light"]) {
  test(`the ${condition} entry takes its WebAssembly from the platform`, async () => {
    const entry = join(folder, `${condition}.entry.js`);
    writeFileSync(entry, 'export * from "adjudicate";\n');
    const outfile = join(folder, `${condition}.mjs`);
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: [condition],
      plugins: [compiledImports],
    });
    assert.ok(readFileSync(outfile).length < 300_000, "the inlined WebAssembly is not part of this entry");
    const { createEngine, createEngineSync } = await import(pathToFileURL(outfile).href);
    for (const engine of [await createEngine(), createEngineSync()]) {
      assert.equal(engine.evaluate(envelope()).decision.status, "success");
    }
    assert.throws(() => createEngineSync({ policy: {} }), { code: "wrong_usage" });
    await assert.rejects(createEngine({ policy: {} }), { code: "wrong_usage" });
  });
}

/** Imports WebAssembly as a compiled module, as these platforms do. */
const compiledImports = {
  name: "compiled-imports",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace("?module", "")),
      namespace: "compiled",
    }));
    onLoad({ filter: /.*/, namespace: "compiled" }, ({ path }) => ({
      contents: `import { readFileSync } from "node:fs";
        export default new WebAssembly.Module(readFileSync(${JSON.stringify(path)}));`,
    }));
  },
};

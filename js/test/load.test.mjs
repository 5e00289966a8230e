/** The sources of the engine's WebAssembly, and their errors. `tests/matrix` has the entries of workerd and of edge runtimes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

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

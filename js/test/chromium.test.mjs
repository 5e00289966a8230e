/** The package in a browser, under the strictest content security policy that allows WebAssembly. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { inPage, skip } from "./support/page.mjs";

const folder = install();

test("every way to an engine works under 'wasm-unsafe-eval', and decides as in Node", { skip }, async () => {
  const result = await inPage(
    folder,
    "script-src 'self' 'wasm-unsafe-eval'",
    `import * as main from "/index.js";
    import * as slim from "/slim.js";
    const envelope = ${JSON.stringify(envelope())};
    const policy = ${JSON.stringify(STRICT_POLICY)};
    const attempt = (run) => {
      try {
        return run();
      } catch (error) {
        return JSON.stringify(error);
      }
    };
    try {
      const engines = [
        await main.createEngine(),
        main.createEngineSync(),
        await slim.createEngine(fetch("/engine.wasm")),
        await slim.createEngine(await (await fetch("/engine.wasm")).arrayBuffer()),
      ];
      globalThis.result = engines.map((engine) => [
        engine.version,
        engine.evaluateText(JSON.stringify(envelope)),
        JSON.stringify(engine.evaluate(envelope, { policy })),
        engine.policy(policy).evaluateText(JSON.stringify(envelope)),
        attempt(() => engine.evaluateText("{")),
        attempt(() => engine.evaluate({ "a/b": new Map() })),
      ]);
    } catch (error) {
      globalThis.result = String(error);
    }`,
  );
  const { main } = (await bothForms(folder)).import;
  const engine = main.createEngineSync();
  const underPolicy = engine.evaluateText(JSON.stringify(envelope()), { policy: JSON.stringify(STRICT_POLICY) });
  const expected = [
    engine.version,
    engine.evaluateText(JSON.stringify(envelope())),
    underPolicy,
    underPolicy,
    errorOf(() => engine.evaluateText("{")),
    errorOf(() => engine.evaluate({ "a/b": new Map() })),
  ];
  assert.deepEqual(result, [expected, expected, expected, expected]);
});

test("a page that forbids WebAssembly gets an error with the reason", { skip }, async () => {
  const result = await inPage(
    folder,
    "script-src 'self'",
    `import { AdjudicateError, createEngine, createEngineSync } from "/index.js";
    const shown = (error) => [error instanceof AdjudicateError, error.code];
    let thrown;
    try {
      createEngineSync();
    } catch (error) {
      thrown = error;
    }
    globalThis.result = await createEngine().then(String, shown).then((rejected) => [rejected, shown(thrown)]);`,
  );
  assert.deepEqual(result, [
    [true, "engine_load"],
    [true, "engine_load"],
  ]);
});

function errorOf(run) {
  try {
    return run();
  } catch (error) {
    return JSON.stringify(error);
  }
}

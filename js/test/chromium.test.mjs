/** The package in a browser, under the strictest content security policy that allows WebAssembly. The corpus in Chromium has its answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile, root } from "./support/installed.mjs";
import { inPage, skip } from "./support/page.mjs";

const folder = install();
const engine = (await bothForms(folder)).import.main.createEngineSync();
const TEXT = JSON.stringify(envelope());

test("every way to an engine works under 'wasm-unsafe-eval'", { skip }, async () => {
  const result = await inPage(
    folder,
    "script-src 'self' 'wasm-unsafe-eval'",
    `import * as main from "/index.js";
    import * as slim from "/slim.js";
    import * as evaluate from "/evaluate.js";
    const made = async () => [
      await main.createEngine(),
      main.createEngineSync(),
      await slim.createEngine(fetch("/engine.wasm")),
      await slim.createEngine(await (await fetch("/engine.wasm")).arrayBuffer()),
      await evaluate.createEngine(fetch("/evaluate.wasm")),
    ];
    globalThis.result = await made().then((engines) => engines.map((engine) => engine.evaluateText(${JSON.stringify(TEXT)})), String);`,
  );
  assert.deepEqual(result, new Array(5).fill(engine.evaluateText(TEXT)));
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
  assert.deepEqual(result, [[true, "engine_load"], [true, "engine_load"]]);
});

test("the page of the README decides, and shows an error", { skip }, async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [page, script] = ["index.html", "page.js"].map((name) => readme.split(`\`${name}\`:\n\n`)[1].match(/^```\w+\n([^]*?)^```$/m)[1]);
  const inputs = [TEXT, "{"];
  const typed = `
    globalThis.result = ${JSON.stringify(inputs)}.map((text) => {
      input.value = text;
      input.dispatchEvent(new Event("input"));
      return output.value;
    });`;
  const installed = /^\/node_modules\/adjudicate\/dist(\/.*)$/;
  const files = (url) =>
    url === "/" ? page : installed.test(url) ? readFileSync(installedFile(folder, "dist", installed.exec(url)[1])) : undefined;
  const [decision, error] = await inPage(folder, "script-src 'self' 'wasm-unsafe-eval'", script + typed, files);
  const { status, next_step } = engine.evaluate(envelope()).decision;
  assert.equal(decision, `${status}, next step ${next_step}`);
  assert.match(error, /^malformed_json at : /);
});

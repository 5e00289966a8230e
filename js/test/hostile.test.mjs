/**
 * Hostile modules through `loadModule`: each has its documented outcome, in Node on this thread and in a worker. After each, a valid module
 * still answers.
 *
 * The corpus is `ADJUDICATE_HOSTILE`, the output of `adjudicate conformance --export`.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { env } from "node:process";

import { faultsOf, LACKS } from "./support/hostile.mjs";
import { bothForms, install, root } from "./support/installed.mjs";
import { inPage, skip as noBrowser } from "./support/page.mjs";

const corpusFolder = env.ADJUDICATE_HOSTILE ?? join(root, "..", "target", "artifacts", "hostile");
const skip = !existsSync(join(corpusFolder, "cases.json")) && env.CI === undefined && `${corpusFolder} is not exported`;
const folder = install();
const file = (name) => readFileSync(join(corpusFolder, name));

test("the corpus lists the limits that this host lacks", { skip }, () => {
  const { capabilities } = JSON.parse(file("cases.json"));
  assert.deepEqual(LACKS.filter((name) => !(name in capabilities)), []);
});

test("each hostile module has its outcome, and harms no other module", { skip }, async (context) => {
  const { loadModule } = (await bothForms(folder)).import.main;
  const corpus = JSON.parse(file("cases.json"));
  const good = corpus.cases.find(({ name }) => name === corpus.good);
  assert.ok(good, "the corpus has a good module");
  const steady = await loadModule(file(good.module));
  for (const one of corpus.cases) {
    await context.test(one.name, async () => {
      assert.deepEqual(await faultsOf(loadModule, corpus, one, file), []);
      assert.equal(steady.callText(corpus.operation, corpus.input), corpus.answer);
    });
  }
});

test("the same in Chromium, under the strictest policy that WebAssembly allows", { skip: skip || noBrowser }, async () => {
  const faults = await inPage(
    folder,
    "script-src 'self' 'wasm-unsafe-eval'",
    `import { loadModule } from "/index.js";
    import { expectedOf, faultsOf } from "/hostile.mjs";
    try {
      const bytesOf = async (name) => new Uint8Array(await (await fetch("/hostile/" + name)).arrayBuffer());
      const corpus = await (await fetch("/hostile/cases.json")).json();
      const good = await loadModule(await bytesOf(corpus.cases.find(({ name }) => name === corpus.good).module));
      const faults = [];
      // These modules may compile for minutes, and a page cannot end that. So only Node runs them.
      for (const one of corpus.cases.filter((one) => expectedOf(corpus, one) !== null)) {
        faults.push(...(await faultsOf(loadModule, corpus, one, bytesOf, true)));
        if (good.callText(corpus.operation, corpus.input) !== corpus.answer) faults.push(one.name + ": the good module is ill");
      }
      globalThis.result = { faults, cases: corpus.cases.length };
    } catch (error) {
      globalThis.result = { faults: [String(error.stack)] };
    }`,
    (url) => {
      if (url === "/hostile.mjs") return readFileSync(join(root, "test", "support", "hostile.mjs"));
      return url.startsWith("/hostile/") ? file(url.slice("/hostile/".length).replaceAll("/", "")) : undefined;
    },
  );
  assert.deepEqual(faults, { faults: [], cases: JSON.parse(file("cases.json")).cases.length });
});

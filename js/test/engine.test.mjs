/** Engines of the installed package, imported and required. The corpus in Node shows their answers and errors. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, installedFile, root } from "./support/installed.mjs";
import { NUMBERS } from "./support/operations.mjs";

const folder = install();
const { version } = JSON.parse(readFileSync(installedFile(folder, "package.json"), "utf8"));

for (const [form, { main }] of Object.entries(await bothForms(folder))) {
  const { createEngine, createEngineSync } = main;

  test(`an engine returns its version and its operations (${form})`, async () => {
    for (const engine of [await createEngine(), createEngineSync()]) {
      assert.equal(engine.version, version);
      assert.deepEqual(engine.operations, Object.keys(NUMBERS));
    }
  });

  test(`an engine that was disposed of answers nothing, and others still answer (${form})`, () => {
    const [engine, other] = [createEngineSync(), createEngineSync()];
    const [policy, theirs] = [engine.policy(STRICT_POLICY), other.policy(STRICT_POLICY)];
    engine.dispose();
    engine[Symbol.dispose]();
    for (const call of [
      () => engine.evaluate(envelope()),
      () => engine.callText("deliberate", "{}"),
      () => engine.policy(STRICT_POLICY),
      () => engine.compose(envelope(), { restrict: [theirs] }),
      () => policy.evaluate(envelope()),
      () => policy.check(),
    ]) {
      assert.throws(call, { code: "wrong_usage", message: /the engine has been disposed of$/ });
    }
    assert.equal(engine.evaluateBatch([envelope()])[0].error.code, "wrong_usage");
    policy.free();
    assert.equal(theirs.evaluate(envelope()).decision.status, "unsafe");
    assert.throws(() => engine.dispose.call({}), { code: "wrong_usage" });
  });
}

test("the package has the version of the workspace", () => {
  const manifest = readFileSync(`${root}/../Cargo.toml`, "utf8");
  assert.match(manifest, new RegExp(`^version = "${version}"$`, "m"));
});

test("the package has each schema of docs/schemas, under its name", () => {
  const sources = join(root, "..", "docs", "schemas");
  const names = (folder) => readdirSync(folder).filter((file) => file.endsWith(".schema.json")).sort();
  const packed = names(installedFile(folder, "dist", "schemas"));
  assert.deepEqual(packed, names(sources));
  const require = createRequire(join(folder, "index.js"));
  for (const file of packed) assert.deepEqual(require(`adjudicate/schemas/${file}`), JSON.parse(readFileSync(join(sources, file), "utf8")), file);
});

/** Engines of the installed package, imported and required. The corpus in Node shows their answers and errors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

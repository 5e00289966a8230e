/** A trap is an error with a code, and the engine goes on with a fresh instance. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";
import { trapping } from "./support/trapping.mjs";

const folder = install();
const { AdjudicateError, createEngineSync } = (await bothForms(folder)).import.slim;

const DEADLY = " ".repeat(777);
const wasm = trapping(readFileSync(installedFile(folder, "dist", "engine.wasm")), DEADLY.length);

function assertTraps(engine) {
  assert.throws(() => engine.evaluateText(DEADLY), (error) => {
    assert.ok(error instanceof AdjudicateError);
    assert.equal(error.code, "trap");
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
    return true;
  });
}

test("an engine that trapped answers the next call", () => {
  const engine = createEngineSync(wasm);
  const expected = engine.evaluateText(JSON.stringify(envelope()));
  for (let repeat = 0; repeat < 100; repeat++) {
    assertTraps(engine);
    assert.equal(engine.evaluateText(JSON.stringify(envelope())), expected);
    assert.throws(() => engine.evaluateText(DEADLY.slice(1)), { code: "malformed_json" });
  }
});

test("a policy outlives the instance that parsed it", () => {
  const engine = createEngineSync(wasm);
  const policy = engine.policy(STRICT_POLICY);
  const expected = policy.evaluateText(JSON.stringify(envelope()));
  assertTraps(engine);
  assert.equal(policy.evaluateText(JSON.stringify(envelope())), expected);
  assertTraps(engine);
  policy.free();
  assert.throws(() => policy.evaluate(envelope()), { code: "wrong_usage" });
});

test("engines do not share an instance", () => {
  const [first, second] = [createEngineSync(wasm), createEngineSync(wasm)];
  const policy = second.policy(STRICT_POLICY);
  assertTraps(first);
  assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
});

test("policies that nobody freed are no trouble after a trap", async () => {
  const engine = createEngineSync(wasm);
  for (let count = 0; count < 1000; count++) engine.policy(STRICT_POLICY);
  assertTraps(engine);
  await collectGarbage();
  assert.equal(engine.evaluate(envelope()).decision.status, "success");
});

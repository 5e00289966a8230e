/** A trap is an error with a code. The next call has a new instance. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install, installedFile, root } from "./support/installed.mjs";
import { watchMemories } from "./support/memory.mjs";
import { inPage, skip as noBrowser } from "./support/page.mjs";
import { DEADLY, faultsOf, waysToTrap } from "./support/trap.mjs";
import { trapping } from "./support/trapping.mjs";
import { module as wasm } from "./support/wasm.mjs";

const folder = install();
const forms = await bothForms(folder);
const { AdjudicateError, createEngineSync, loadModule } = forms.import.slim;

const TEXT = JSON.stringify(envelope());
const compiled = new WebAssembly.Module(readFileSync(installedFile(folder, "dist", "engine.wasm")));
trapping(DEADLY);
const GIVEN = { text: TEXT, policy: JSON.stringify(STRICT_POLICY) };
const padded = TEXT.padEnd(DEADLY);

function assertTraps(engine) {
  assert.throws(
    () => engine.evaluateText(padded),
    (error) => {
      assert.ok(error instanceof AdjudicateError);
      assert.equal(error.code, "trap");
      assert.ok(error.cause instanceof WebAssembly.RuntimeError);
      return true;
    },
  );
}

test("an engine that trapped answers the next call", () => {
  const engine = createEngineSync(compiled);
  const expected = engine.evaluateText(TEXT);
  for (let repeat = 0; repeat < 50; repeat++) {
    assertTraps(engine);
    assert.equal(engine.evaluateText(TEXT), expected);
    assert.throws(() => engine.evaluateText("{".padEnd(DEADLY - 1)), { code: "malformed_json" });
  }
});

for (const [form, { slim }] of Object.entries(forms)) {
  test(`after a trap at any place, the engine answers the next call (${form})`, async () => {
    assert.ok(waysToTrap.length >= 12);
    assert.deepEqual(await faultsOf(slim, compiled, GIVEN), []);
  });
}

test("after a trap at any place, the engine answers the next call in Chromium", { skip: noBrowser }, async () => {
  const script = `import * as slim from "/slim.js";
    import { DEADLY, faultsOf } from "/support/trap.mjs";
    import { trapping } from "/support/trapping.mjs";
    trapping(DEADLY);
    const module = await WebAssembly.compile(await (await fetch("/engine.wasm")).arrayBuffer());
    globalThis.result = await faultsOf(slim, module, ${JSON.stringify(GIVEN)}).catch((error) => [String(error.stack)]);`;
  const faults = await inPage(folder, "script-src 'self' 'wasm-unsafe-eval'", script, (url) =>
    url.startsWith("/support/") ? readFileSync(join(root, "test", url)) : undefined,
  );
  assert.deepEqual(faults, []);
});

test("a policy outlives the instance that parsed it", () => {
  const engine = createEngineSync(compiled);
  const policy = engine.policy(STRICT_POLICY);
  const expected = policy.evaluateText(TEXT);
  assertTraps(engine);
  assert.equal(policy.evaluateText(TEXT), expected);
  assertTraps(engine);
  policy.free();
  assert.throws(() => policy.evaluate(envelope()), { code: "wrong_usage" });
});

test("an open envelope is lost with its instance", () => {
  const engine = createEngineSync(compiled);
  const open = engine.open(envelope());
  assertTraps(engine);
  for (const use of [() => open.evaluate(), () => open.set("/run_id", "a"), () => open.text()]) {
    assert.throws(use, { code: "trap", message: /open it again/ });
  }
  open.free();
  assert.throws(() => open.evaluate(), { code: "wrong_usage" });
  assert.equal(engine.open(envelope()).evaluateText(), engine.evaluateText(TEXT));
});

test("engines do not share an instance", () => {
  const [first, second] = [createEngineSync(compiled), createEngineSync(compiled)];
  const policy = second.policy(STRICT_POLICY);
  assertTraps(first);
  assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
});

test("policies that were not freed cause no error after a trap", async () => {
  const engine = createEngineSync(compiled);
  for (let count = 0; count < 1000; count++) engine.policy(STRICT_POLICY).open(envelope());
  assertTraps(engine);
  await collectGarbage();
  assert.equal(engine.evaluate(envelope()).decision.status, "success");
});

test("in a batch, a trap is the error of one envelope", () => {
  const engine = createEngineSync(compiled);
  const lines = engine.evaluateBatchText(`${TEXT}\n${padded}\n${TEXT}\n`).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).error?.code),
    [undefined, "trap", undefined],
  );
  const policy = engine.policy(STRICT_POLICY);
  const answers = policy.evaluateBatchText(`${padded}\n${TEXT}\n`).trimEnd().split("\n");
  assert.equal(JSON.parse(answers[1]).decision.status, "unsafe");
});

test("instances that trapped are gone", async () => {
  const watch = watchMemories();
  try {
    const engine = createEngineSync(compiled);
    const policy = engine.policy(STRICT_POLICY);
    const module = await loadModule(wasm({ reply: "{}" }), engine);
    for (let round = 0; round < 20; round++) {
      for (let repeat = 0; repeat < 25; repeat++) {
        assertTraps(engine);
        assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
        assert.throws(() => module.evaluateText(TEXT), AdjudicateError);
      }
      await collectGarbage();
    }
    // Five hundred calls trapped.
    assert.ok(watch.living().length < 100, `${watch.living().length}`);
  } finally {
    watch.stop();
  }
});

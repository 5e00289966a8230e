/** The package's memory does not grow with malformed calls. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { corpusOf } from "../support/corpus.mjs";
import { loadEndless } from "../support/endless.mjs";
import { STRICT_POLICY, envelope } from "../support/envelope.mjs";
import { collectGarbage } from "../support/garbage.mjs";
import { bothForms, install } from "../support/installed.mjs";
import { observed, watchMemories } from "../support/memory.mjs";
import { PLAN_CALLS } from "../support/operations.mjs";
import { numbers } from "../support/random.mjs";
import { siege, siegeOfModules } from "../support/siege.mjs";
import { module as wasm } from "../support/wasm.mjs";

/** A leak of 16 bytes per call would be 3.2 MB, six times the slack. `ADJUDICATE_CALLS` sets another number. */
const CALLS = Number(process.env.ADJUDICATE_CALLS ?? 200_000);

const ENVELOPE = JSON.stringify(envelope());

const MALFORMED = [
  "",
  "{",
  '{"run_id":1}',
  '{"run_id":"r","unknown":[1,2,3]}',
  '{"run_id":"r","run_id":"r"}',
  `${"[".repeat(200)}`,
  JSON.stringify(envelope({ steps: { a: { role: "leader" } } })),
  JSON.stringify({ envelope: envelope(), policy: { policy: "p", version: "one" } }),
  JSON.stringify({ ...PLAN_CALLS.validate_plan, facets: [{}] }),
  JSON.stringify({ ...PLAN_CALLS.apply_guardrails, state: { retries: { again: -1 } } }),
];

const { main } = (await bothForms(install())).import;
const { AdjudicateError, createEngineSync, loadModule } = main;

const OPERATIONS = createEngineSync().operations;
const CORPUS = Object.fromEntries(
  OPERATIONS.map((operation) => [operation, corpusOf(operation).map(({ text }) => new Uint8Array(text))]),
);

/** A module that offers every operation. Its answers are not used. */
const OFFERING = wasm({ manifest: JSON.stringify({ abi: 1, name: "all", version: "1.0.0", operations: OPERATIONS }) });

/** Modules with every kind of failure that needs no deadline, and a valid one. */
const FAILING_MODULES = [
  wasm({ reply: `{"ok":${createEngineSync().evaluateText(ENVELOPE)}}` }),
  wasm({ reply: "{" }),
  wasm({ reply: '{"ok":{"decision":{"status":"approved"}}}' }),
  wasm({ reply: '{"error":{"code":"mine","message":"m","path":""}}' }),
  wasm({ body: [0x00] }),
];

/** The slack: memory never shrinks, and a late large document may take a few more pages. */
const SLACK = 8 << 16;

/** The allowed memories: those of engines, and a few that are not collected yet. */
const FEW = 200;

test("malformed calls of every method leave memory as it was", async () => {
  const watch = watchMemories();
  try {
    await collectGarbage();
    const heap = process.memoryUsage().heapUsed;
    const { before, after, living, refused, still } = await siege({
      main,
      module: OFFERING,
      corpus: CORPUS,
      collect: collectGarbage,
      watch,
      count: CALLS,
    });
    assert.ok(after - before <= SLACK, `${before} to ${after}`);
    assert.ok(living < FEW, `${living}`);
    assert.match(still, /"gate":/);
    const sum = Object.values(refused).reduce((left, right) => left + right);
    assert.equal(sum, CALLS);
    for (const [way, count] of Object.entries(refused)) assert.ok(count > CALLS / 400, `${way}: ${count}`);
    // The calls themselves need some memory.
    assert.ok(process.memoryUsage().heapUsed < heap + (120 << 20));
  } finally {
    watch.stop();
  }
});

test("no instance of a module outlives its call, whatever it did", async () => {
  const watch = watchMemories();
  try {
    const given = { main, modules: FAILING_MODULES, input: ENVELOPE, collect: collectGarbage, watch, count: 12_000 };
    const { refused, living } = await siegeOfModules(given);
    assert.deepEqual([refused, living < FEW], [9_600, true], `${living}`);
  } finally {
    watch.stop();
  }
});

test("modules that are refused, or ended in their workers, leave nothing behind", async () => {
  const random = numbers(7);
  const watch = watchMemories();
  try {
    let refused = 0;
    for (let at = 0; at < 5_000; at++) {
      const bytes = FAILING_MODULES[0]
        .with(random(FAILING_MODULES[0].length), random(256))
        .subarray(0, at % 3 === 0 ? random(400) : undefined);
      await loadModule(bytes).catch((error) => assert.ok(error instanceof AdjudicateError, error.stack) ?? refused++);
    }
    assert.ok(refused > 3_000, `${refused}`);
    const endless = await loadEndless(loadModule);
    for (let at = 0; at < 40; at++) await assert.rejects(endless.evaluateText(ENVELOPE), { code: "module_deadline" });
    endless.dispose();
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadModule(FAILING_MODULES[0], { deadlineMs: 60_000 })));
    await Promise.all(loaded.map((module) => module.evaluateText(ENVELOPE)));
    for (const module of loaded) module.dispose();
    await collectGarbage();
    assert.ok(watch.living().length < FEW, `${watch.living().length}`);
    const left = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker").length;
    for (const end = Date.now() + 60_000; left() > 0 && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(left(), 0);
  } finally {
    watch.stop();
  }
});

test("calls with answers, batches and freed policies leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const calls = Object.entries(PLAN_CALLS).map(([name, call]) => [name, JSON.stringify(call)]);
  const lines = MALFORMED.map((text) => `${text}\n`).join("") + ENVELOPE;
  const options = { policy: JSON.stringify(STRICT_POLICY) };
  const run = (rounds) => {
    for (let round = 0; round < rounds; round++) {
      for (const [name, call] of calls) assert.notEqual(engine.callText(name, call), "");
      assert.ok(engine.evaluateBatchText(lines).includes('"success"'));
      assert.ok(engine.evaluateBatchText(lines, options).includes('"unsafe"'));
      assert.throws(() => engine.evaluateBatchText(lines, { policy: '{"policy":"p"}' }), AdjudicateError);
      const policy = engine.policy(STRICT_POLICY);
      assert.throws(() => policy.refineText("[]", { evaluation: "{}" }), AdjudicateError);
      assert.throws(() => policy.explainText("{}", { trace: true }), AdjudicateError);
      policy.free();
    }
  };
  run(1000);
  const before = memory.buffer.byteLength;
  run(20_000);
  assert.equal(memory.buffer.byteLength, before);
});

test("policies that are forgotten are freed in the end", async () => {
  const { engine, memory } = observed(createEngineSync);
  const run = async (rounds) => {
    for (let round = 0; round < rounds; round++) {
      for (let count = 0; count < 1000; count++) engine.policy(STRICT_POLICY);
      await collectGarbage();
    }
  };
  await run(3);
  const before = memory.buffer.byteLength;
  await run(30);
  assert.equal(memory.buffer.byteLength, before);
});

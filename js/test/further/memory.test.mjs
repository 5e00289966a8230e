/** The package's memory does not grow with calls, whatever becomes of them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { corpusOf } from "../support/corpus.mjs";
import { loadEndless } from "../support/endless.mjs";
import { STRICT_POLICY, envelope } from "../support/envelope.mjs";
import { collectGarbage } from "../support/garbage.mjs";
import { bothForms, install } from "../support/installed.mjs";
import { observed, watchMemories } from "../support/memory.mjs";
import { PLAN_CALLS, methodOf } from "../support/operations.mjs";
import { numbers } from "../support/random.mjs";
import { module as wasm } from "../support/wasm.mjs";

const ENVELOPE = JSON.stringify(envelope());

const { main } = (await bothForms(install())).import;
const { AdjudicateError, createEngineSync, loadModule } = main;

const OPERATIONS = createEngineSync().operations;
/** The calls of the corpus that the engine refuses. */
const REFUSED = OPERATIONS.flatMap((operation) =>
  corpusOf(operation).filter(({ answer }) => answer.error !== undefined).map(({ text, call }) => ({ operation, method: methodOf(operation), text: new Uint8Array(text), call })),
);

/** Every way into an engine, a parsed policy and a module, with a call that is refused. */
function waysInto(engine, policy, module) {
  return [
    ({ operation, text }) => engine.callText(operation, text),
    ({ operation, call }) => engine.call(operation, call),
    ({ method, text }) => engine[`${method}Text`](text),
    ({ method, call }) => engine[method](call),
    ({ text }) => engine.policyText(text),
    ({ text }) => engine.openText(text),
    ({ text }) => engine.evaluateText(ENVELOPE, { policy: text }),
    ({ text }) => engine.refineText(ENVELOPE, { evaluation: text }),
    ({ text }) => engine.composeText(ENVELOPE, { restrict: [policy, STRICT_POLICY_TEXT, text], override: { origin: "theirs", answer: text } }),
    ({ text }) => engine.evaluateBatchText(ENVELOPE, { policy: text }),
    ({ text }) => policy.evaluateText(text),
    ({ text }) => policy.refineText(text, { evaluation: text }),
    ({ text }) => policy.explainText(text, { trace: true }),
    ({ text }) => policy.composeText(text),
    ({ operation, text }) => module.callText(operation, text),
    ({ operation, call }) => module.call(operation, call),
  ];
}

/** Modules with every kind of failure that needs no deadline, and a valid one. */
const FAILING_MODULES = [
  wasm({ reply: `{"ok":${createEngineSync().evaluateText(ENVELOPE)}}` }),
  wasm({ reply: "{" }),
  wasm({ reply: '{"ok":{"decision":{"status":"approved"}}}' }),
  wasm({ reply: '{"error":{"code":"mine","message":"m","path":""}}' }),
  wasm({ body: [0x00] }),
];

/** The slack: memory never shrinks, and a late large document may take a few more pages. A leak of 16 bytes per call would be six times as much. */
const SLACK = 8 << 16;
const ROUNDS = 10;

const STRICT_POLICY_TEXT = JSON.stringify(STRICT_POLICY);

/** The allowed memories: those of engines, and a few that are not collected yet. */
const FEW = 200;

test("refused calls of every method leave memory as it was", async () => {
  const watch = watchMemories();
  try {
    const engine = createEngineSync();
    // A module that offers every operation. Its answers are not used.
    const module = await loadModule(wasm({ manifest: JSON.stringify({ abi: 1, name: "all", version: "1.0.0", operations: OPERATIONS }) }));
    const ways = waysInto(engine, engine.policy(STRICT_POLICY), module);
    // The memories of the engine and of the checker of modules stay; those of module instances do not.
    const memories = watch.living();
    const bytes = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    const run = async (rounds) => {
      const refused = ways.map(() => 0);
      for (let round = 0; round < rounds; round++) {
        for (const [at, one] of REFUSED.entries()) {
          for (const [way, call] of ways.entries()) {
            try {
              call(one);
            } catch (error) {
              assert.ok(error instanceof AdjudicateError && error.code !== "trap", error.stack);
              refused[way]++;
            }
          }
          // The garbage of a task is not collected before its end.
          if (at % 50 === 0) await collectGarbage();
        }
      }
      return refused;
    };
    const refused = await run(1);
    assert.ok(refused.every((count) => count > REFUSED.length / 20), refused.join());
    const [before, heap] = [bytes(), process.memoryUsage().heapUsed];
    await run(ROUNDS);
    assert.ok(bytes() - before <= SLACK, `${before} to ${bytes()}`);
    assert.ok(watch.living().length < FEW, `${watch.living().length}`);
    assert.ok(process.memoryUsage().heapUsed < heap + (40 << 20));
  } finally {
    watch.stop();
  }
});

test("no instance of a module outlives its call, whatever it did", async () => {
  const watch = watchMemories();
  try {
    const loaded = await Promise.all(FAILING_MODULES.map((bytes) => loadModule(bytes)));
    let refused = 0;
    for (let at = 0; at < 12_000; at++) {
      try {
        loaded[at % loaded.length].evaluateText(ENVELOPE);
      } catch (error) {
        assert.ok(error instanceof AdjudicateError, error.stack);
        refused++;
      }
      if (at % 100 === 0) await collectGarbage();
    }
    // A tracked memory stays until the end of the task.
    for (let task = 0; task < 2; task++) await collectGarbage();
    assert.equal(refused, 9_600);
    assert.ok(watch.living().length < FEW, `${watch.living().length}`);
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
  const lines = `{\n\n{"run_id":"r","run_id":"r"}\n${"[".repeat(200)}\n${ENVELOPE}`;
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

/** The package's memory stays flat, however much of what it is given is malformed. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { observed } from "./support/memory.mjs";
import { PLAN_CALLS } from "./support/plan.mjs";

const CALLS = 1_000_000;

const ENVELOPE = JSON.stringify(envelope());

const MALFORMED = [
  "",
  "{",
  '{"run_id":1}',
  '{"run_id":"r","nobody":[1,2,3]}',
  '{"run_id":"r","run_id":"r"}',
  `${"[".repeat(200)}`,
  JSON.stringify(envelope({ steps: { a: { role: "leader" } } })),
  JSON.stringify({ envelope: envelope(), policy: { policy: "p", version: "one" } }),
  JSON.stringify({ ...PLAN_CALLS.validate_plan, facets: [{}] }),
  JSON.stringify({ ...PLAN_CALLS.apply_guardrails, state: { retries: { again: -1 } } }),
];

const { AdjudicateError, createEngineSync } = (await bothForms(install())).import.main;

test("a million malformed calls leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const ways = [
    (text) => engine.evaluateText(text),
    (text) => engine.refineText(text),
    (text) => engine.explainText(text),
    (text) => engine.checkPolicyText(text),
    ...engine.operations.map((name) => (text) => engine.callText(name, text)),
    (text) => engine.refineText(ENVELOPE, { evaluation: text }),
    (text) => engine.explainText(ENVELOPE, { policy: text, trace: true }),
  ];
  const run = (calls) => {
    for (let call = 0; call < calls; call++) {
      const text = MALFORMED[call % MALFORMED.length];
      const way = ways[Math.floor(call / MALFORMED.length) % ways.length];
      assert.throws(() => way(text), AdjudicateError);
    }
  };
  run(1000);
  const before = memory.buffer.byteLength;
  run(CALLS);
  assert.equal(memory.buffer.byteLength, before);
  assert.equal(engine.evaluate(envelope()).decision.status, "success");
});

test("plans and guardrails leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const calls = Object.entries(PLAN_CALLS).map(([name, call]) => [name, JSON.stringify(call)]);
  const run = (rounds) => {
    for (let round = 0; round < rounds; round++) {
      for (const [name, call] of calls) assert.notEqual(engine.callText(name, call), "");
    }
  };
  run(100);
  const before = memory.buffer.byteLength;
  run(25_000);
  assert.equal(memory.buffer.byteLength, before);
});

test("batches leave memory as it was, whatever is in them", () => {
  const { engine, memory } = observed(createEngineSync);
  const lines = MALFORMED.map((text) => `${text}\n`).join("") + ENVELOPE;
  const options = { policy: JSON.stringify(STRICT_POLICY) };
  const run = (batches) => {
    for (let batch = 0; batch < batches; batch++) {
      assert.ok(engine.evaluateBatchText(lines).includes('"success"'));
      assert.ok(engine.evaluateBatchText(lines, options).includes('"unsafe"'));
      assert.throws(() => engine.evaluateBatchText(lines, { policy: '{"policy":"p"}' }), AdjudicateError);
    }
  };
  run(100);
  const before = memory.buffer.byteLength;
  run(10_000);
  assert.equal(memory.buffer.byteLength, before);
});

test("policies that are freed, or refused, leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const run = (calls) => {
    for (let call = 0; call < calls; call++) {
      const policy = engine.policy(STRICT_POLICY);
      assert.throws(() => policy.evaluateText("{"), { code: "malformed_json" });
      assert.throws(() => policy.refineText("[]", { evaluation: "{}" }), AdjudicateError);
      assert.throws(() => policy.explainText("{}", { trace: true }), AdjudicateError);
      policy.free();
      assert.throws(() => engine.policyText('{"policy":"p","version":"1.0.0","routes":{"fix":[1]}}'), AdjudicateError);
    }
  };
  run(1000);
  const before = memory.buffer.byteLength;
  run(50_000);
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

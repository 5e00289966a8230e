/** The package's memory stays flat, however much of what it is given is malformed. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { observed } from "./support/memory.mjs";

const CALLS = 1_000_000;

const MALFORMED = [
  "",
  "{",
  '{"run_id":1}',
  '{"run_id":"r","nobody":[1,2,3]}',
  '{"run_id":"r","run_id":"r"}',
  `${"[".repeat(200)}`,
  JSON.stringify(envelope({ steps: { a: { role: "leader" } } })),
  JSON.stringify({ envelope: envelope(), policy: { policy: "p", version: "one" } }),
];

const { AdjudicateError, createEngineSync } = (await bothForms(install())).import.main;

test("a million malformed calls leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const run = (calls) => {
    for (let call = 0; call < calls; call++) {
      assert.throws(() => engine.evaluateText(MALFORMED[call % MALFORMED.length]), AdjudicateError);
    }
  };
  run(1000);
  const before = memory.buffer.byteLength;
  run(CALLS);
  assert.equal(memory.buffer.byteLength, before);
  assert.equal(engine.evaluate(envelope()).decision.status, "success");
});

test("policies that are freed, or refused, leave memory as it was", () => {
  const { engine, memory } = observed(createEngineSync);
  const run = (calls) => {
    for (let call = 0; call < calls; call++) {
      const policy = engine.policy(STRICT_POLICY);
      assert.throws(() => policy.evaluateText("{"), { code: "malformed_json" });
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

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import type { Evaluation } from "adjudicate";

import { findCase } from "../build/corpus.js";
import { DECISIONS, PLANS } from "../build/curated.js";
import { readExamples } from "../build/examples.js";
import { compare, countOfChanges } from "../src/difference.js";
import { changed } from "../src/editor/patch.js";
import { pretty } from "../src/json.js";
import { answersOf, engine, fixtures } from "./support/repository.js";

const examples = readExamples(fixtures);
/** Returns the answer of the corpus to a call. */
const recorded = (call: string) => findCase(call).answer;

test("the page has the decision of the corpus for each fixture, byte for byte", async () => {
  let count = 0;
  for (const { call, id } of DECISIONS) {
    if (call === undefined || !call.startsWith("evaluate/")) continue;
    const example = examples.decisions.find((candidate) => candidate.id === id);
    assert.ok(example !== undefined);
    const policy = example.policy === null ? "" : pretty(example.policy);
    const { outcome } = await answersOf(engine).decide({ envelope: pretty(example.envelope), policy });
    assert.ok(outcome.fault === undefined);
    assert.equal(outcome.answer, recorded(call), id);
    count += 1;
  }
  assert.ok(count >= 4);
  for (const { call, id } of PLANS) {
    const example = examples.plans.find((candidate) => candidate.id === id);
    assert.equal(engine.validatePlanText(pretty(example?.plan)), recorded(call), id);
  }
});

test("examples show every status, and the other version of each policy decides differently", async () => {
  const statuses = new Set<string>();
  for (const { id, envelope, policy, other } of examples.decisions) {
    const judged = async (document: string): Promise<Evaluation> => {
      const { check, outcome } = await answersOf(engine).decide({ envelope: pretty(envelope), policy: document });
      assert.deepEqual(check, { findings: [] }, `${id}: the policy is clean`);
      assert.ok(outcome.fault === undefined, id);
      return outcome.evaluation;
    };
    const before = await judged(policy === null ? "" : pretty(policy));
    statuses.add(before.decision.status);
    if (policy === null) continue;
    assert.ok(countOfChanges(compare(before, await judged(pretty(changed(policy, other))))) > 0, id);
  }
  assert.deepEqual([...statuses].sort(), ["blocked", "needs_human", "partial", "success", "unsafe"]);
});

test("a fixture that is missing ends the build", () => {
  assert.throws(() => readExamples(join(fixtures, "evaluate")), /cannot be made/);
});

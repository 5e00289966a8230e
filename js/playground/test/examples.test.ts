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
import { Evaluator } from "../src/evaluator.js";
import { engine, fixtures } from "./support/repository.js";

const examples = readExamples(fixtures);
/** Returns the answer of the corpus to a call. */
const recorded = (call: string) => findCase(call).answer;

test("the page has the decision of the corpus for each fixture, byte for byte", () => {
  let count = 0;
  for (const { call, id } of DECISIONS) {
    if (call === undefined || !call.startsWith("evaluate/")) continue;
    const example = examples.decisions.find((candidate) => candidate.id === id);
    assert.ok(example !== undefined);
    const evaluator = new Evaluator(engine);
    evaluator.setPolicy(example.policy === null ? "" : pretty(example.policy));
    const outcome = evaluator.evaluate(pretty(example.envelope));
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

test("examples show every status, and the other version of each policy decides differently", () => {
  const statuses = new Set<string>();
  for (const { id, envelope, policy, other } of examples.decisions) {
    const judged = (document: string): Evaluation => {
      const evaluator = new Evaluator(engine);
      evaluator.setPolicy(document);
      assert.deepEqual(evaluator.policyCheck, { findings: [] }, `${id}: the policy is clean`);
      const outcome = evaluator.evaluate(pretty(envelope));
      assert.ok(outcome.fault === undefined, id);
      return outcome.evaluation;
    };
    const before = judged(policy === null ? "" : pretty(policy));
    statuses.add(before.decision.status);
    if (policy === null) continue;
    assert.ok(countOfChanges(compare(before, judged(pretty(changed(policy, other))))) > 0, id);
  }
  assert.deepEqual([...statuses].sort(), ["blocked", "needs_human", "partial", "success", "unsafe"]);
});

test("a fixture that is missing ends the build", () => {
  assert.throws(() => readExamples(join(fixtures, "evaluate")), /cannot be made/);
});

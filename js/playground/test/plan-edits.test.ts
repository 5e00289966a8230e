import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlanAnswer } from "adjudicate";

import { patched } from "../src/editor/patch.js";
import type { Json } from "../src/json.js";
import { diagnosticsOf } from "../src/plan.js";
import { editsOf } from "../src/plan-edits.js";
import { callsOf, engine } from "./support/repository.js";

const answerOf = (call: string) => JSON.parse(engine.validatePlanText(call)) as PlanAnswer;

test("each suggestion of the corpus that can be applied gives another valid call", () => {
  let [applied, satisfied] = [0, 0];
  for (const [name, call] of callsOf("validate_plan")) {
    let before: PlanAnswer;
    try {
      before = answerOf(call);
    } catch {
      continue;
    }
    for (const { suggestion = "", details, nodeId } of diagnosticsOf(before)) {
      for (const line of suggestion.split("\n")) {
        const edits = editsOf(JSON.parse(call) as Json, line);
        if (edits === undefined) continue;
        const after = answerOf(patched(call, edits));
        const isGone = !diagnosticsOf(after).some((found) => found.nodeId === nodeId && JSON.stringify(found.details) === JSON.stringify(details));
        applied += 1;
        satisfied += Number(isGone);
        assert.notEqual(JSON.stringify(after.payload), "", name);
      }
    }
  }
  assert.ok(applied > 30, `only ${applied}`);
  assert.ok(satisfied / applied > 0.8, `${satisfied} of ${applied} satisfy their diagnostic`);
});

test("a suggestion with a choice, or about a missing node, is not applied", () => {
  const call = { plan: { nodes: [{ nodeId: "a", capabilityId: "x" }] } };
  for (const line of ["Remove a, or add an edge that leads to it or away from it.", "Insert A.b after c.", "Use y in c.", ""]) {
    assert.equal(editsOf(call, line), undefined, line);
  }
  assert.deepEqual(editsOf(call, "Use y in a."), [{ op: "add", path: "/plan/nodes/0/capabilityId", value: "y" }]);
  assert.deepEqual(editsOf(call, "Insert A.b before a."), [
    { op: "add", path: "/plan/nodes/1", value: { nodeId: "b-1", capabilityId: "A.b" } },
    { op: "add", path: "/plan/edges", value: [{ from: "b-1", to: "a" }] },
  ]);
});

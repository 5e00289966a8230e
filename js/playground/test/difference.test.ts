import assert from "node:assert/strict";
import { test } from "node:test";

import type { Evaluation } from "adjudicate";

import { compare, countOfChanges } from "../src/difference.js";
import { callsOf, engine } from "./support/repository.js";

function evaluation(envelope: object, policy?: object): Evaluation {
  return engine.evaluate(envelope as never, policy === undefined ? {} : { policy: policy as never });
}

const envelope = {
  run_id: "run-1",
  workflow_id: "w",
  step_id: "judge",
  evaluate_prompt: "judge.v1",
  allowed_next_steps: ["publish", "fix_it", "human_gate", "rollback"],
  provenance_window: [],
  evidence: {
    transcript_summary: "intent: implement\nclaims: implemented",
    workspace_diff_summary: " M src/a.rs\n M src/b.rs\n",
    validation: { mechanical_outcome: "completed", exit_codes: { unit: 1 }, timeouts: [] },
    artifacts: ["unit.log"],
    policy_events: [],
  },
};
const policy = { policy: "house", version: "1.0.0", forbidden_paths: ["src/a.rs"] };

test("a decision compared with itself has no changes", () => {
  let count = 0;
  for (const text of callsOf("evaluate").values()) {
    let answer: Evaluation;
    try {
      answer = JSON.parse(engine.evaluateText(text)) as Evaluation;
    } catch {
      continue;
    }
    const lines = compare(answer, answer);
    assert.equal(countOfChanges(lines), 0);
    const { decision, findings } = answer;
    const edits = decision.fix_instructions?.edits.length ?? 0;
    const escalation = answer.loop.escalation === null ? 0 : 1;
    const route = answer.loop.route === null ? 0 : 1;
    assert.equal(lines.length, 2 + route + escalation + findings.length + decision.blockers.length + decision.risk_flags.length + edits);
    count += 1;
  }
  assert.ok(count > 300, `only ${count} decisions`);
});

test("an added part is marked", () => {
  const before = evaluation(envelope, { ...policy, forbidden_paths: [] });
  const after = evaluation(envelope, policy);
  const lines = compare(before, after);
  const marks = lines.map(({ part, name, mark }) => `${mark} ${part} ${name}`.trim());
  assert.deepEqual(marks.slice(0, 2), ["changed status", "changed next step"]);
  for (const start of ["added finding policy_violation", "same finding validation_failed", "added risk flag policy_violation"]) {
    assert.ok(marks.some((mark) => mark.startsWith(start)), marks.join("; "));
  }
  const swapped = compare(after, before).map(({ mark }) => mark);
  assert.equal(swapped.filter((mark) => mark === "removed").length, lines.filter(({ mark }) => mark === "added").length);
});

test("the same next step, classified by another, is a change", () => {
  const clean = { ...envelope, evidence: { ...envelope.evidence, validation: { ...envelope.evidence.validation, exit_codes: {} } } };
  const house = { policy: "house", version: "1.0.0", required_validators: [] };
  const guessed = evaluation(clean, house);
  const declared = evaluation(clean, { ...house, routes: { forward: ["publish"] } });
  const [before, after] = ["forward step, the only unclassified one", "forward step, declared by `steps` or `routes`"];
  assert.deepEqual(compare(guessed, declared).filter(({ mark }) => mark !== "same"), [{ part: "route", name: "", before, after, mark: "changed" }]);
  const stopped = { ...declared, decision: { ...declared.decision, next_step: null }, loop: { ...declared.loop, route: null } };
  assert.deepEqual(compare(declared, stopped).map(({ part, mark }) => `${mark} ${part}`), ["same status", "changed next step"]);
});

test("the same finding with another severity is changed, and neither added nor removed", () => {
  const rule = (status: string) => ({
    ...policy,
    forbidden_paths: [],
    rules: [{ id: "own", when: { "==": [{ var: "facts.diff.count" }, 2] }, then: { status, summary: "two files" } }],
  });
  const lines = compare(evaluation(envelope, rule("needs_human")), evaluation(envelope, rule("blocked")));
  const own = lines.filter(({ part, name }) => part === "finding" && name.startsWith("own"));
  assert.deepEqual(own.map(({ mark }) => mark), ["changed"]);
});

test("findings of one rule at one place are distinguished", () => {
  const twice = { ...evaluation(envelope, policy) };
  const [first] = twice.findings;
  assert.ok(first !== undefined);
  const doubled = { ...twice, findings: [first, first] };
  const names = compare(doubled, doubled)
    .filter(({ part }) => part === "finding")
    .map(({ name }) => name);
  assert.equal(new Set(names).size, 2);
  assert.equal(countOfChanges(compare(doubled, { ...twice, findings: [first] })), 1);
});

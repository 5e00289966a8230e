/** A run folds its steps into envelopes, as `Run` of the core does. One file has the expected values of both. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { envelope } from "./support/envelope.mjs";
import { bothForms, install, root } from "./support/installed.mjs";

const folder = install();
const forms = await bothForms(folder);
const { createRun } = forms.import.run;
const engine = forms.import.main.createEngineSync();
const file = JSON.parse(readFileSync(join(root, "..", "tests", "tests", "runs", "fold.json"), "utf8"));

const { evidence, provenance_window: _, ...START } = envelope({ allowed_next_steps: ["publish", "fix", "gate"] });
const FAILING = { ...evidence, validation: { ...evidence.validation, exit_codes: { test: 1 } }, artifacts: ["test.log"] };

/** A step that is not an evaluation. */
function ran(step_id, opcode, outcome = "completed") {
  return { step_id, opcode, outcome, diff_summary: "", risk_flags: [], blocker_codes: [] };
}

/** Evaluates and refines. Returns the next run, the evaluation, and its envelope. */
function evaluated(run, found, options = {}) {
  const asked = run.envelope(found);
  const evaluation = engine.evaluate(asked, options);
  return { run: run.take(evaluation, engine.refine(asked, { ...options, evaluation })), evaluation, envelope: asked };
}

test("the envelopes of a run are those of the file", () => {
  for (const { main, run: entry } of [forms.import, forms.require]) {
    const judge = main.createEngineSync();
    let run = entry.createRun(file.start, { window: file.window });
    const envelopes = [];
    for (const step of file.steps) {
      if (step.record) {
        run = run.record(step.record);
        continue;
      }
      const asked = run.envelope(step.evaluate);
      envelopes.push(asked);
      const evaluation = judge.evaluate(asked);
      run = run.take(evaluation, judge.refine(asked, { evaluation }));
    }
    assert.deepEqual(envelopes, file.envelopes);
  }
});

test("a run does not change", () => {
  const run = createRun(START);
  const before = run.envelope(evidence);
  run.record(ran("build", "RUN_AGENT"));
  evaluated(run, FAILING);
  const given = run.envelope(evidence);
  given.evaluate_history.push("mine");
  given.evidence.artifacts.push("mine");
  assert.deepEqual(run.envelope(evidence), before);
});

test("a run continues from its latest envelope", () => {
  const first = evaluated(createRun(START).record(ran("build", "RUN_AGENT", "killed_timeout")), FAILING);
  const text = JSON.stringify(first.run.envelope(evidence));
  assert.deepEqual(createRun(JSON.parse(text)).envelope(FAILING), first.run.envelope(FAILING));
});

test("without a history the evaluations of the window are the history", () => {
  const { history_entry } = engine.refine(envelope()).next;
  const provenance_window = [history_entry, ...Array.from({ length: 9 }, () => ran("build", "RUN_AGENT"))];
  const continued = createRun({ ...START, provenance_window }).envelope(evidence);
  assert.deepEqual(continued.evaluate_history, [history_entry]);
  assert.equal(continued.provenance_window.length, 4);
});

test("the history has the composed decision, and the codes of both answers", () => {
  const run = createRun(START);
  const asked = run.envelope(FAILING);
  const evaluation = engine.compose(asked, { restrict: [{ policy: "strict", version: "1.0.0", forbidden_paths: ["src/**"] }] });
  const [entry] = run.take(evaluation, engine.refine(asked)).envelope(evidence).evaluate_history;
  assert.deepEqual([entry.status, entry.risk_flags, entry.blocker_codes], ["unsafe", ["policy_violation"], ["validation_failed", "policy_violation"]]);
});

test("without steps in the window there is none", () => {
  const { run } = evaluated(createRun(START, { window: 0 }).record(ran("build", "RUN_AGENT")), FAILING);
  const asked = run.envelope(evidence);
  assert.deepEqual([asked.provenance_window, asked.evaluate_history.length], [[], 1]);
});

test("the engine reports the missing fields of an entry", () => {
  const run = createRun(START).record({ step_id: "build", opcode: "RUN_AGENT", outcome: "completed" });
  assert.throws(() => engine.evaluate(run.envelope(evidence)), (error) => {
    assert.deepEqual([error.code, error.path], ["missing_field", "/provenance_window/0/diff_summary"]);
    assert.equal(error.others[0].path, "/provenance_window/0/risk_flags");
    return true;
  });
});

test("values of other forms are refused", () => {
  const run = createRun(START);
  const asked = run.envelope(evidence);
  const [evaluation, revision] = [engine.evaluate(asked), engine.refine(asked)];
  for (const [call, code, message] of [
    [() => createRun(), "wrong_usage", /expected a start, found undefined/],
    [() => createRun([]), "wrong_usage", /expected a start, found a list/],
    [() => createRun({ ...START, steps: new Map() }), "invalid_value", /Map/],
    [() => createRun(START, { window: -1 }), "wrong_usage", /window/],
    [() => createRun(START, { window: "3" }), "wrong_usage", /window/],
    [() => createRun(START, { windows: 3 }), "wrong_usage", /`windows`/],
    [() => createRun(START, 3), "wrong_usage", /plain object/],
    [() => createRun(START, {}, 3), "wrong_usage", /too many/],
    [() => run.record(null), "wrong_usage", /expected an entry, found null/],
    [() => run.envelope("text"), "wrong_usage", /expected evidence, found a string/],
    [() => run.take(evaluation), "wrong_usage", /a revision/],
    [() => run.take({}, revision), "wrong_usage", /answers/],
    [() => run.take(evaluation, {}), "wrong_usage", /answers/],
    [() => run.take(revision, evaluation), "wrong_usage", /answers/],
  ]) {
    assert.throws(call, (error) => error instanceof forms.import.run.AdjudicateError && error.code === code && message.test(error.message), String(call));
  }
});

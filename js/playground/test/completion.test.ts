import assert from "node:assert/strict";
import { test } from "node:test";

import { CompletionContext, type Completion } from "@codemirror/autocomplete";
import { jsonLanguage } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { AdjudicateError } from "adjudicate";

import { complete } from "../src/editor/completion.js";
import type { Shape } from "../src/editor/shape.js";
import { Variables } from "../src/variables.js";
import { answersOf, engine, language } from "./support/repository.js";

const known = language();
const answers = answersOf(engine);
const variables = new Variables(known, () => (documents) => answers.facts(documents));
const ENVELOPE = JSON.stringify({
  run_id: "r",
  workflow_id: "w",
  step_id: "judge",
  evaluate_prompt: "judge.v1",
  allowed_next_steps: ["ship", "fix"],
  provenance_window: [],
  evidence: {
    transcript_summary: "",
    workspace_diff_summary: "",
    validation: { mechanical_outcome: "completed", exit_codes: { lint: 0, test: 1 }, timeouts: [] },
    artifacts: [],
    policy_events: [],
    "x-score": 3,
  },
  "x-a.b": 1,
});

/** Returns the completions at `|`. */
async function offered(root: string, marked: string): Promise<readonly Completion[]> {
  const at = marked.indexOf("|");
  const state = EditorState.create({ doc: marked.replace("|", ""), extensions: [jsonLanguage] });
  const context = new CompletionContext(state, at, true);
  return (await complete({ language: known, root, variables: () => variables.terms(ENVELOPE, "") }, context))?.options ?? [];
}

const labels = async (root: string, marked: string) => (await offered(root, marked)).map(({ label }) => label);

test("completion offers the missing fields of a type", async () => {
  const all = await labels("Envelope", "{|}");
  assert.ok(all.includes("run_id") && all.includes("evidence") && all.includes("steps"), all.join());
  assert.ok(!(await labels("Envelope", '{"run_id": "r", "|"}')).includes("run_id"));
  assert.ok((await labels("Envelope", '{"run_id": "r", "evidence": {"v|"}}')).includes("validation"));
  assert.ok((await labels("Envelope", '{"evidence": {"uncollected": [{|}]}}')).includes("reason"));
  assert.ok((await labels("Envelope", '{"evidence": {"validation": {|}}}')).includes("exit_codes"));
  assert.ok((await labels("PolicyDocument", '{"rules": [{"id": "a", "then": {|}}]}')).includes("summary"));
  assert.ok((await labels("ValidatePlanCall", '{"plan": {"nodes": [{"nodeId": "a"}, {|}]}}')).includes("capabilityId"));
  const required = (await offered("Envelope", "{|}")).find(({ label }) => label === "run_id");
  assert.equal(required?.detail, "required");
  assert.match(String(required?.info), /run/);
});

test("completion offers the words of a type as values", async () => {
  assert.deepEqual(await labels("PolicyDocument", '{"profile": "|"}'), ["oa06", "oa06.1"]);
  assert.deepEqual(await labels("PolicyDocument", '{"profile": |}'), ["oa06", "oa06.1"]);
  assert.deepEqual(await labels("PolicyDocument", '{"review": "|"}'), ["required", "first", "optional"]);
  assert.deepEqual(await labels("PolicyDocument", '{"rules": [{"mode": "|"}]}'), ["enforce", "monitor"]);
  assert.ok((await labels("PolicyDocument", '{"rules": [{"then": {"status": "|"}}]}')).includes("needs_human"));
  assert.deepEqual(await labels("ValidatePlanCall", '{"facets": [{"requiredByDefault": |}]}'), ["true", "false"]);
  assert.deepEqual(await labels("Envelope", '{"run_id": "|"}'), []);
});

test("a kind selects the alternative", async () => {
  const place = (kind: string) => `{"task": {"policies": {"runtime": [{"id": "a", "trigger": {"kind": "${kind}", "|"}}]}}}`;
  const metric = await labels("ValidatePlanCall", place("onMetricBelow"));
  const start = await labels("ValidatePlanCall", place("onStart"));
  assert.ok(metric.some((label) => !start.includes(label)), `${metric.join()} and ${start.join()}`);
  assert.ok(start.includes("selector"));
});

test("conditions are made of operators and variables", async () => {
  const rule = (when: string) => `{"rules": [{"id": "a", "when": ${when}}]}`;
  assert.deepEqual(await labels("PolicyDocument", rule("{|}")), known.operators.map(({ name }) => name));
  assert.ok((await labels("PolicyDocument", rule('{"and": [{"!": {"|"}}]}'))).includes("starts_with"));
  assert.deepEqual(await labels("PolicyDocument", rule('{"and": [], "|"}')), [], "an expression has one operator");
  for (const when of ['{"var": "|"}', '{"==": [{"var": ["|"]}, 1]}', '{"missing": ["facts.intent", "|"]}']) {
    const names = await labels("PolicyDocument", rule(when));
    assert.ok(names.includes("facts.diff.paths") && names.includes("parameters.partial_threshold"), when);
    assert.ok(names.includes("input.evidence.x-score") && !names.some((name) => name.startsWith("input.x-a")), when);
  }
  assert.deepEqual(await labels("PolicyDocument", rule('{"==": ["|", 1]}')), []);
});

test("completion shows the value of a variable for the documents on the page", async () => {
  const all = await offered("PolicyDocument", '{"rules": [{"id": "a", "when": {"var": "|"}}]}');
  const option = (name: string) => all.find(({ label }) => label === name);
  assert.equal(option("facts.validators.failing")?.detail, 'a list, ["test"]');
  assert.match(String(option("facts.validators.failing")?.info), /Now: \["test"\]\.$/);
  assert.match(String(option("facts.intent")?.info), /Now: unknown\.$/);
  assert.match(String(option("parameters.partial_threshold")?.detail), /^a number, \d+$/);
});

test("completion offers nothing at places without completions", async () => {
  for (const marked of ["|", "{}|", '{"run_id": "r"| }', "[|]", '{"nothing": {|}}']) {
    assert.deepEqual(await labels("Envelope", marked), [], marked);
  }
});

test("completion accepts every broken text", async () => {
  const text = '{"rules": [{"id": "a", "when": {"and": [{"var": "facts.x"}, tru]}, "then": {"status": "bl';
  for (let at = 0; at <= text.length; at += 1) await offered("PolicyDocument", `${text.slice(0, at)}|${text.slice(at)}`);
  for (let at = 0; at <= text.length; at += 1) await offered("PolicyDocument", `${text.slice(0, at)}|`);
});

test("completion offers exactly the operators and facts of the engine", async () => {
  const refusal = (when: unknown) => {
    const rule = { id: "a", when, then: { status: "blocked", summary: "s" } };
    try {
      engine.policyText(JSON.stringify({ policy: "p", version: "1.0.0", rules: [rule] })).free();
      return "";
    } catch (error) {
      assert.ok(error instanceof AdjudicateError);
      return error.message;
    }
  };
  assert.match(refusal({ begins_with: [] }), /unknown operator/);
  for (const { name } of known.operators) assert.doesNotMatch(refusal({ [name]: [] }), /unknown operator/, name);
  assert.notEqual(refusal({ "==": [{ var: "facts.invented" }, 1] }), "");
  for (const { name } of known.facts) assert.equal(refusal({ "==": [{ var: name }, { var: name }] }), "", name);
});

test("every name in the types leads to a type", async () => {
  const visit = (shape: Shape): void => {
    if (shape.is === "type") assert.ok(Object.hasOwn(known.types, shape.name), shape.name);
    if (shape.is === "list") visit(shape.of);
    if (shape.is === "either") shape.any.forEach(visit);
    if (shape.is === "object") Object.values(shape.fields).forEach((member) => visit(member.shape));
  };
  Object.values(known.types).forEach(visit);
  assert.ok(Object.keys(known.types).length > 40);
});

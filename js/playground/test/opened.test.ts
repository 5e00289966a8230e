import assert from "node:assert/strict";
import { test } from "node:test";

import { withTests, resultsOf } from "../src/policy-tests.js";
import { opened, OpenError } from "../src/opened.js";
import { jsonOf, looksLikeYaml, yamlOf, YamlError } from "../src/yaml.js";
import { answersOf, engine, read } from "./support/repository.js";

const ENVELOPE = '{"run_id": "r", "evidence": {}}';

test("a file is opened as the document that it is", async () => {
  const kinds: readonly (readonly [string, string[]])[] = [
    [ENVELOPE, ["envelope"]],
    ["\ufeffrun_id: r\nevidence: {}\n", ["envelope"]],
    ['{"policy": "p", "version": "1.0.0"}', ["policy"]],
    ["policy: p\nrules: []\n", ["policy"]],
    ['{"plan": {}, "task": {}}', ["plan"]],
    [`{"envelope": ${ENVELOPE}, "policy": {"policy": "p"}}`, ["envelope", "policy"]],
  ];
  for (const [text, names] of kinds) {
    const found = await opened(text);
    assert.ok("texts" in found, text);
    assert.deepEqual(Object.keys(found.texts), names, text);
  }
});

test("a file without documents is refused with the reason", async () => {
  for (const [text, reason] of [
    ["", /neither JSON nor YAML: the text is empty/],
    ["{", /is not JSON/],
    ["3", /has no object/],
    ["{}", /no envelope, policy, plan/],
    ['{"input": {}}', /has no name/],
    ['[{"name": "a", "input": {}, "expect": {"d": 1}, "cases": 3}]', /`cases` of `a` are not a list/],
    ['[{"name": "a", "input": {}}]', /has no `expect`/],
    ["a: 1\nb: [\n", /neither JSON nor YAML/],
  ] as const) {
    await assert.rejects(opened(text), (error) => error instanceof OpenError && reason.test(error.message), text);
  }
});

test("YAML becomes JSON with the same values, and what JSON cannot hold is refused", async () => {
  const text = 'a: 1.0\nb: [yes, true, null, ~, "x: y"]\n2: {c: 1e3}\nd: |\n  line\ne: &x [1]\nf: *x\n';
  assert.equal(await jsonOf(text), '{"a":1.0,"b":["yes",true,null,null,"x: y"],"2":{"c":1e3},"d":"line\\n","e":[1],"f":[1]}');
  for (const wrong of ["a: &x [1, *x]\n", "a: !!binary eA==\n", "a: 1\n---\nb: 2\n", "a: .inf\n", "a: 0x1F\n", "a: 1\na: 2\n", "? [a]\n: 1\n"]) {
    await assert.rejects(jsonOf(wrong), YamlError, wrong);
  }
  assert.deepEqual(JSON.parse(await jsonOf(await yamlOf(ENVELOPE))), JSON.parse(ENVELOPE));
  assert.ok(looksLikeYaml("# a policy\npolicy: p\n") && looksLikeYaml('"$schema": x') && !looksLikeYaml('{"a": 1}'));
});

test("the tests of a file run under a policy, as the command runs them", async () => {
  const found = await opened(read("fixtures/policies/release-gate.cases.yaml"));
  assert.ok("tests" in found && found.tests.length > 5);
  const policy = await jsonOf(read("fixtures/policies/release-gate.yaml"));
  const results = async (text: string) => {
    const check = await answersOf(engine).check(withTests(text, found.tests));
    assert.ok(check.fault === undefined, JSON.stringify(check));
    return resultsOf(found.tests, check.findings).filter(({ failures }) => failures.length > 0);
  };
  assert.deepEqual(await results(policy), []);
  const { rules: _, ...lax } = JSON.parse(policy) as Record<string, unknown>;
  assert.ok((await results(JSON.stringify(lax))).length > 3);
});

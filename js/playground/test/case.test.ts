import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";

import { readExamples } from "../build/examples.js";
import { CaseError, caseFile, fileName, leastPolicy, suggestedName, type Strictness } from "../src/case.js";
import { pretty } from "../src/json.js";
import { Judge } from "../src/judge.js";
import { engine, fixtures } from "./support/repository.js";

/** The command, in which the cases are to run. */
const command = env["ADJUDICATE"] ?? "";
const examples = readExamples(fixtures).decisions;
const [first] = examples;

function exported(envelope: string, policy: string, strictness: Strictness): { file: string; name: string } {
  const judge = new Judge(engine);
  judge.take(policy);
  const outcome = judge.judge(envelope);
  const name = suggestedName(outcome);
  return { file: caseFile({ name, policy: judge.name, envelope, outcome, strictness }), name };
}

/** Runs a case by the command: how many passed and failed. */
function run(policy: string, file: string): { passed: number; failed: number } {
  const folder = mkdtempSync(join(tmpdir(), "case-"));
  try {
    writeFileSync(join(folder, "policy.json"), policy);
    writeFileSync(join(folder, "case.json"), file);
    const options = ["test", "policy.json", "--case", "case.json", "--format", "json"];
    const { error, stdout, stderr } = spawnSync(command, options, { cwd: folder, encoding: "utf8" });
    assert.ok(error === undefined, "ADJUDICATE is the path of the command");
    assert.equal(stderr, "");
    const { passed, failed } = JSON.parse(stdout) as { passed: number; failed: number };
    return { passed, failed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the examples as cases pass in the command, whatever is expected", () => {
  for (const { id, envelope, policy } of examples) {
    for (const strictness of ["decision and rules", "whole answer"] as const) {
      const { file } = exported(pretty(envelope), policy === null ? "" : pretty(policy), strictness);
      // Without a policy the answer says that there was none, which no test of a policy can expect.
      if (policy === null && strictness === "whole answer") continue;
      assert.deepEqual(
        run(policy === null ? leastPolicy() : pretty(policy), file),
        { passed: 1, failed: 0 },
        `${id}, ${strictness}`,
      );
    }
  }
});

test("a case fails where the answer is another one", () => {
  assert.ok(first !== undefined);
  const { file } = exported(pretty(first.envelope), pretty(first.policy), "decision and rules");
  assert.deepEqual(run(pretty(first.policy), file.replace('"status": "partial"', '"status": "success"')), {
    passed: 0,
    failed: 1,
  });
});

test("a refused envelope is a case, too", () => {
  assert.ok(first !== undefined);
  const envelope = pretty(first.envelope).replace('"run_id"', '"run"');
  const { file, name } = exported(envelope, pretty(first.policy), "decision and rules");
  assert.match(name, /^is refused: /);
  assert.deepEqual(run(pretty(first.policy), file), { passed: 1, failed: 0 });
});

test("the envelope stands in the case as it was written", () => {
  assert.ok(first !== undefined);
  const envelope = pretty({ ...(first.envelope as object), "x-number": 0 }).replace(
    '"x-number": 0',
    '"x-number": 12345678901234567890.10',
  );
  const { file } = exported(envelope, "", "decision and rules");
  assert.ok(file.includes('"x-number": 12345678901234567890.10'));
  assert.ok(!file.includes('"policy":'), "without a policy it is for every policy");
});

test("what cannot be a case is refused", () => {
  for (const [envelope, policy] of [
    ["{", ""],
    ["[]", ""],
    ["", ""],
    ['{"a": 1, "a": 2}', ""],
    ["{}", "{"],
  ] as const) {
    assert.throws(() => exported(envelope, policy, "whole answer"), CaseError, `${envelope} under ${policy}`);
  }
  const judge = new Judge(engine);
  const outcome = judge.judge("{}");
  assert.throws(() => caseFile({ name: " ", policy: undefined, envelope: "{}", outcome, strictness: "whole answer" }), CaseError);
});

test("files have plain names", () => {
  assert.equal(fileName("is partial: a_b, é"), "is-partial-a-b.case.json");
  assert.equal(fileName("../../x"), "x.case.json");
  assert.equal(fileName("…"), "case.case.json");
});

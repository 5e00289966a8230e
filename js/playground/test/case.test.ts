import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";

import { readExamples } from "../build/examples.js";
import { CaseError, caseFile, fileName, shortestPolicy, suggestedName, type Strictness } from "../src/case.js";
import { pretty } from "../src/json.js";
import { answersOf, engine, fixtures } from "./support/repository.js";

/** The command that runs the cases. */
const command = env["ADJUDICATE"] ?? "";
const examples = readExamples(fixtures).decisions;
const first = examples.find(({ policy }) => policy !== null);

async function exported(envelope: string, policy: string, strictness: Strictness): Promise<{ file: string; name: string }> {
  const { outcome, policyName } = await answersOf(engine).decide({ envelope, policy });
  const name = suggestedName(outcome);
  return { file: caseFile({ name, policy: policyName, envelope, outcome, strictness }), name };
}

/** Runs a case by the command. Returns the numbers of passed and failed cases. */
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

test("the examples as cases pass in the command, with every expectation", async () => {
  for (const { id, envelope, policy } of examples) {
    for (const strictness of ["decision and rules", "whole answer"] as const) {
      const { file } = await exported(pretty(envelope), policy === null ? "" : pretty(policy), strictness);
      // Without a policy, the field `policy` of the answer is null, which no test of a policy can expect.
      if (policy === null && strictness === "whole answer") continue;
      assert.deepEqual(run(policy === null ? shortestPolicy() : pretty(policy), file), { passed: 1, failed: 0 }, `${id}, ${strictness}`);
    }
  }
});

test("a case fails if the answer differs", async () => {
  assert.ok(first !== undefined);
  const { file } = await exported(pretty(first.envelope), pretty(first.policy), "decision and rules");
  assert.deepEqual(run(pretty(first.policy), file.replace('"status": "partial"', '"status": "success"')), { passed: 0, failed: 1 });
});

test("a refused envelope is a case, too", async () => {
  assert.ok(first !== undefined);
  const envelope = pretty(first.envelope).replace('"run_id"', '"run"');
  const { file, name } = await exported(envelope, pretty(first.policy), "decision and rules");
  assert.match(name, /^error /);
  assert.deepEqual(run(pretty(first.policy), file), { passed: 1, failed: 0 });
});

test("the case has the envelope as it was written", async () => {
  assert.ok(first !== undefined);
  const envelope = pretty({ ...(first.envelope as object), "x-number": 0 }).replace('"x-number": 0', '"x-number": 12345678901234567890.10');
  const { file } = await exported(envelope, "", "decision and rules");
  assert.ok(file.includes('"x-number": 12345678901234567890.10'));
  assert.ok(!file.includes('"policy":'), "without a policy it is for every policy");
});

test("a document that cannot be a case is refused", async () => {
  for (const [envelope, policy] of [["{", ""], ["[]", ""], ["", ""], ['{"a": 1, "a": 2}', ""], ["{}", "{"]] as const) {
    await assert.rejects(exported(envelope, policy, "whole answer"), CaseError, `${envelope} under ${policy}`);
  }
  const { outcome } = await answersOf(engine).decide({ envelope: "{}", policy: "" });
  assert.throws(() => caseFile({ name: " ", policy: undefined, envelope: "{}", outcome, strictness: "whole answer" }), CaseError);
});

test("files have plain names", () => {
  assert.equal(fileName("is partial: a_b, é"), "is-partial-a-b.case.json");
  assert.equal(fileName("../../x"), "x.case.json");
  assert.equal(fileName("…"), "case.case.json");
});

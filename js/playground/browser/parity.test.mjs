/** The page shows the same JSON as the corpus and the command, byte for byte. */
import assert from "node:assert/strict";

import { readCases } from "../build/corpus.js";
import { evaluatedByCommand, evaluation } from "./support/documents.mjs";
import { answerIn, region, statusIn, textOf, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

/** The long runs, and the vectors of the specification. */
const CASES = readCases()
  .filter(({ operation, name }) => operation === "evaluate" && /^(run-.*|vector-.*-typed)$/.test(name))
  .map(({ name }) => name);

const decision = (page) => region(page, "Decision");

visit("documents are decided as in the corpus", {}, async ({ page }) => {
  assert.ok(CASES.length > 10, `${CASES.length} cases`);
  for (const name of CASES) {
    const { envelope, policy, answer } = evaluation(name);
    await write(page, "Policy", policy);
    await write(page, "Envelope", envelope);
    await becomes(() => answerIn(decision(page)).catch(() => "no answer"), answer, name);
    assert.equal(await statusIn(decision(page)), JSON.parse(answer).decision.status, name);
  }
});

visit("every example is decided as the command decides it", {}, async ({ page }) => {
  const choice = page.getByRole("combobox", { name: "Example" });
  const examples = await choice.locator("option").evaluateAll((all) => all.map(({ value }) => value).filter(Boolean));
  assert.ok(examples.length >= 8, `${examples}`);
  const statuses = new Set();
  for (const example of examples) {
    await choice.selectOption(example);
    const [envelope, policy] = [await textOf(page, "Envelope"), await textOf(page, "Policy")];
    await becomes(() => answerIn(decision(page)), await evaluatedByCommand(envelope, policy), example);
    statuses.add(await statusIn(decision(page)));
  }
  const all = ["blocked", "needs_human", "partial", "success", "unsafe"];
  assert.deepEqual([...statuses].sort(), all, "the examples show every status");
});

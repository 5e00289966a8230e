/** Plans: the verdict, the graph and its diagnostics. */
import assert from "node:assert/strict";

import { answeredByCommand, fixture, pretty } from "./support/documents.mjs";
import { answerIn, button, editor, errorIn, openView, region, says, shows, textOf, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const verdict = (page) => region(page, "Verdict");
const graph = (page) => verdict(page).getByRole("group", { name: "Plan graph" });
const diagnostics = (page) => verdict(page).getByRole("heading", { level: 4 });
const heading = (page) => verdict(page).getByRole("heading", { name: /^Diagnostics/ }).textContent();

/** Returns the lines of constraints: the id, the level and the score. */
const scores = (page) => verdict(page).locator("section", { has: page.getByRole("heading", { name: /^Constraints/ }) }).locator("dl > div").allInnerTexts().then((lines) => lines.map((line) => line.split(/\s+/).join(" ")));
const scoreLine = ({ constraintId, severity, score }) => `${constraintId} ${severity} ${score === null ? "not scored" : `score ${score}`}`;

/** Returns all diagnostics of an answer. */
function found({ payload }) {
  return [...payload.failures, ...payload.warnings, ...payload.infos];
}

visit("a plan is judged as the corpus and the command judge it", {}, async ({ page }) => {
  await openView(page, "Plan");
  const choice = page.getByRole("combobox", { name: "Example" });
  const examples = await choice.locator("option").evaluateAll((all) => all.map(({ value }) => value).filter(Boolean));
  assert.ok(examples.length >= 5, `${examples}`);
  const statuses = new Set();
  for (const example of examples) {
    await choice.selectOption(example);
    const plan = await textOf(page, "Plan");
    const expected = await answeredByCommand("validate-plan", plan);
    await becomes(() => answerIn(verdict(page)), expected, example);
    const answer = JSON.parse(expected);
    await shows(page, "Verdict", answer.payload.status);
    assert.equal(await diagnostics(page).count(), found(answer).length, example);
    assert.deepEqual(await scores(page), answer.payload.constraintScores.map(scoreLine), example);
    statuses.add(answer.payload.status);
  }
  assert.ok(statuses.has("accepted") && statuses.has("rejected"), `${[...statuses]}`);
});

visit("the nodes of the graph show diagnostics, and a pressed node shows only its own", {}, async ({ page }) => {
  const { call, answer } = fixture("validate_plan", "pipeline-rejected-everything-at-once");
  const all = found(JSON.parse(answer));
  await openView(page, "Plan");
  await write(page, "Plan", pretty(call));
  await becomes(() => answerIn(verdict(page)), answer);
  await says(page, new RegExp(`^Plan: rejected, ${all.length} diagnostics, satisfaction `));

  const name = (id) => new RegExp(`^${id} ?, (no diagnostics|\\d+ diagnostics?, worst (hard|soft|informational))[ ,]`);
  for (const { nodeId } of call.plan.nodes) await graph(page).getByRole("button", { name: name(nodeId) }).waitFor();

  const worst = graph(page).getByRole("button", { name: /^[^,]+, \d+ diagnostics?, worst hard/ }).first();
  const id = await worst.getAttribute("data-node");
  const [count] = /\d+(?= diagnostic)/.exec(await worst.textContent());
  await worst.click();
  await becomes(() => graph(page).locator(`[data-node="${id}"]`).getAttribute("aria-pressed"), "true");
  await becomes(() => diagnostics(page).count(), Number(count));
  await says(page, `Diagnostics of ${id} are shown: ${count}`);
  await button(page, "Show all").click();
  await becomes(() => diagnostics(page).count(), all.length);
  await becomes(() => heading(page), `Diagnostics${all.length}`);
});

visit("a plan that is judged again with the same result does not silence a sentence", {}, async ({ page }) => {
  const { call, answer } = fixture("validate_plan", "pipeline-rejected-everything-at-once");
  await openView(page, "Plan");
  await write(page, "Plan", pretty(call));
  await becomes(() => answerIn(verdict(page)), answer);
  await says(page, /^Plan: rejected, /);
  const node = graph(page).getByRole("button", { name: /^[^,]+, \d+ diagnostics?, worst hard/ }).first();
  const id = await node.getAttribute("data-node");
  await node.click();
  await write(page, "Plan", JSON.stringify(call));
  await says(page, new RegExp(`^Diagnostics of ${id} are shown: `));
});

visit("an invalid plan is refused at its line, and the last verdict stays, dimmed", {}, async ({ page }) => {
  await openView(page, "Plan");
  await graph(page).waitFor();
  assert.equal(await button(page, "Export case").count(), 0, "a plan is no case");
  await write(page, "Plan", '{\n  "plan": {\n    "nodes": [,]\n  }\n}\n');
  await shows(page, "Verdict", "no answer");
  assert.equal(await graph(page).count(), 0, "it cannot be reached");
  assert.equal(await verdict(page).locator(".earlier[inert] .graph [data-node]").count() > 0, true);
  await becomes(() => page.locator("#state-plan").textContent(), "invalid");
  await says(page, /^No answer: .+/);
  await errorIn(page, "plan", 3).click();
  assert.equal(await editor(page, "Plan").evaluate((element) => element.getRootNode().activeElement === element), true);
});

visit("plans of odd shapes are drawn: a circle, a missing node, a name like markup, no node", {}, async ({ page }) => {
  const { call } = fixture("validate_plan", "clean-parallel-parts");
  await openView(page, "Plan");
  const drawn = () => graph(page).locator("[data-node]").evaluateAll((all) => all.map((node) => node.dataset.node).sort());
  const [first] = call.plan.nodes;
  const markup = '"><img src=x onerror=alert(1)>';
  for (const [nodes, edges, expected] of [
    [[], [], []],
    [[first, { ...first, nodeId: markup }], [{ from: first.nodeId, to: markup }, { from: markup, to: first.nodeId }, { from: markup, to: "absent" }], [first.nodeId, markup, "absent"]],
  ]) {
    await write(page, "Plan", pretty({ ...call, plan: { ...call.plan, nodes, edges } }));
    await becomes(drawn, expected.sort());
  }
});

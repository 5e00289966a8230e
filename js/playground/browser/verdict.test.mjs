/** Links to verdicts: the page decides again, opens the documents, and says what differs. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { adjudicate, compact, evaluatedByCommand, evaluation, fixture, inFolder } from "./support/documents.mjs";
import { follow, verdictLink, verdictOf } from "./support/links.mjs";
import { answerIn, region, textOf, write } from "./support/page.mjs";
import { becomes, open, visit } from "./support/visit.mjs";

const notice = (page) => page.locator("#notice:visible");

visit("a verdict is decided again before its documents", { path: null }, async ({ page, site }) => {
  const { envelope, policy, answer } = evaluation("run-python-pipeline-third-partial");
  const verdict = await verdictOf("evaluate", `{"envelope": ${envelope}, "policy": ${policy}}`);
  const before = site.requests.length;
  await open(page, site, verdictLink(verdict));
  await becomes(() => notice(page).textContent(), /^Verdict: same bytes\. .* It has no signature\.Digests/);
  assert.equal(await answerIn(region(page, "Decision")), answer);
  assert.deepEqual([compact(await textOf(page, "Envelope")), compact(await textOf(page, "Policy"))], [compact(envelope), compact(policy)]);
  assert.deepEqual(site.requests.slice(before).filter((path) => path.includes("verdict")), []);
  // After an edit, the page no longer shows the verdict's documents.
  await write(page, "Envelope", "{}");
  await becomes(() => notice(page).count(), 0);
  assert.equal(new URL(page.url()).hash, "");
});

visit("a verdict with one other byte in its envelope gets another decision, and the digests show this", {}, async ({ page }) => {
  const { envelope } = evaluation("run-docs-only-clean");
  const changed = compact(envelope).replace('"mkdocs-build":0', '"mkdocs-build":1');
  const [before, after] = [await verdictOf("evaluate", envelope), await verdictOf("evaluate", changed)].map((text) => ({ text, ...JSON.parse(text) }));
  assert.deepEqual([before.answer.decision.status, after.answer.decision.status], ["success", "unsafe"]);
  await follow(page, verdictLink(before.text.replace('"mkdocs-build":0', '"mkdocs-build":1')));
  await becomes(() => notice(page).textContent(), /^Verdict: another answer\. At \/decision\/status, the verdict has "success", and this page gets "unsafe"\. It has no signature\./);
  assert.equal(await answerIn(region(page, "Decision")), await evaluatedByCommand(changed));
  await notice(page).getByText("Digests").click();
  assert.deepEqual(await notice(page).locator("dd:visible").allTextContents(), [
    `${before.digests.input} does not match the verdict’s input; this page gets ${after.digests.input}`,
    `${before.digests.answer} matches the verdict’s answer; this page gets ${after.digests.answer}`,
  ]);
});

visit("a changed verdict says which decision comes out instead", {}, async ({ page }) => {
  const { envelope } = evaluation("run-docs-only-clean");
  const verdict = await verdictOf("evaluate", envelope);
  const signed = await inFolder(async (folder) => {
    await adjudicate("keygen", "--out", join(folder, "a"));
    return verdictOf("evaluate", envelope, "--key", join(folder, "a.key"));
  });
  const forged = signed.replace('"answer":{', '"redacted":["/a"],"answer":{"x-a":{"x-redacted":true},').replace('"status":"success"', '"status":"partial"');
  const plan = JSON.stringify(fixture("validate_plan", "unknown-capability").call);
  for (const [text, expected] of [
    [verdict, /^Verdict: same bytes/],
    [verdict.replace('"status":"success"', '"status":"partial"'), /^Verdict: another answer\. At \/decision\/status, the verdict has "partial", and this page gets "success"\./],
    [verdict.replace('"input":{', '"input":{"x-note":1,'), /^Verdict: other digests/],
    [verdict.replace('"workflow_id"', '"workflow"'), /^Verdict: another answer\. This page gets an error instead: .*missing_field/],
    [verdict.replace('"name":"adjudicate","version":"0', '"name":"adjudicate","version":"9'), /^Verdict: cannot be decided here\. It is of another version/],
    [await verdictOf("evaluate", envelope, "--redact", "/run_id"), /^Verdict: cannot be decided here, because a part is redacted\./],
    [signed, /^Verdict: same bytes\. .* The holder of the key ed25519:\w{64} signed it, with each value/],
    [forged, /because a part is redacted\. Its signature is broken/],
    [await verdictOf("validate_plan", plan), /^Verdict: same bytes/],
    [await verdictOf("deliberate", JSON.stringify(fixture("deliberate", "budget-iterations-by-default-5").call)), /same bytes\. .* This page has no view for calls of deliberate/],
    [verdict.replace('"verdict":1', '"verdict":2'), /^The verdict cannot be opened: .* at \/verdict\.$/],
    ["{}", /^The verdict cannot be opened: /],
  ]) {
    await follow(page, verdictLink(text));
    await becomes(() => notice(page).textContent(), expected);
  }
  await follow(page, "#verdict=AAAA");
  await becomes(() => notice(page).textContent(), /^The link cannot be opened: /);
});

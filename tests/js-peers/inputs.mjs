/** The judged envelopes: the short envelope of all benchmarks, and any number of others, which are the same in every run. */
import { readFileSync } from "node:fs";

import { readCorpus } from "../corpus/parity.mjs";

const corpus = readCorpus(readFileSync(process.env.ADJUDICATE_CORPUS, "utf8"));

/** The timed envelope; two of the nine rules hold. */
export const envelope = JSON.parse(corpus.find(({ name }) => name === "vector-partial-fixable-typed").text);

/** Envelopes that differ in every part that a rule reads. They have no null and no fraction, which Cedar does not accept. */
export function* others(count) {
  let state = 20_261_122;
  const random = (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = (...items) => items[random(items.length)];
  const some = (...items) => items.filter(() => random(3) === 0);
  for (let left = count; left > 0; left--) {
    const made = structuredClone(envelope);
    const { evidence } = made;
    evidence.step_intent = pick("implement", "fix", "review", "investigate", "document", "other");
    evidence.claims = some("implemented", "fixed", "tests_passed", "error_reported", "no_change_needed");
    evidence.policy_events = some(
      "forbidden_path",
      "network_violation",
      "info:hello",
      "warning:slow",
      "approval_required:deploy",
    );
    evidence.artifacts = some("reports/pytest.xml", "reports/coverage.xml", "artifacts/pytest.log");
    evidence.validation.mechanical_outcome = pick(
      "completed",
      "completed",
      "error",
      "killed_timeout",
      "killed_idle",
      "killed_policy",
    );
    evidence.validation.exit_codes.pytest = pick(0, 0, 1, 2, 137);
    const [passed, failed, flaky] = [random(30), pick(0, 0, random(5)), random(4)];
    const cases = (status, number) => Array.from({ length: number }, (_, at) => ({ id: `${status}-${at}`, status }));
    evidence.harness_report.cases = [...cases("passed", passed), ...cases("failed", failed), ...cases("flaky", flaky)];
    evidence.harness_report.summary = { passed, failed, flaky, duration_ms: pick(900, 60_000, 60_001, 90_000) };
    made.refinement = { cap: 1 + random(3), spent: random(4) };
    yield made;
  }
}

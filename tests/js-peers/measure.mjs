/**
 * Measures other engines for JavaScript on the same nine rules, in one run: `node measure.mjs [--quick]`. The variable
 * `ADJUDICATE_CONSUMER` has the folder in which the package is installed. The last line is one flat object of numbers.
 *
 * First, all engines must give the same verdict for thousands of envelopes. Then all run in every round, each for about
 * the same time, in an order that rotates. A ratio is taken within a round, and the median of the rounds is the result.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { argv, env } from "node:process";

import { ENGINES, policy, verdictOf } from "./engines.mjs";
import { envelope, others } from "./inputs.mjs";

const isQuick = argv.includes("--quick");
const [AGREE, ROUNDS, TURN_MS] = isQuick ? [500, 5, 40] : [5_000, 21, 200];

const { createEngineSync } = createRequire(join(env.ADJUDICATE_CONSUMER, "package.json"))("adjudicate");
const parsed = createEngineSync().policy(policy);

/**
 * This engine first. `live` takes an envelope as a value, and `text` its text. Engines that take values get `JSON.parse` and
 * `JSON.stringify`. The answer of this engine has more than a verdict; it is not converted while it is timed.
 */
const all = [
  { name: "adjudicate", live: (envelope) => parsed.evaluate(envelope), text: (text) => parsed.evaluateText(text) },
  ...Object.entries(ENGINES).map(([name, make]) => {
    const live = make();
    const text = (text) => {
      const verdict = live(JSON.parse(text));
      return verdict instanceof Promise ? verdict.then(JSON.stringify) : JSON.stringify(verdict);
    };
    return { name, live, text };
  }),
];

/** A part of each answer, so that no call is optimised away. */
let kept = 0;

await agree();
const values = {};
for (const level of ["text", "live"]) await contest(level);
console.log(JSON.stringify(values));
// ZEN's threads would keep the process alive.
process.exit(0);

/** The verdict of an answer. */
function verdict(answer) {
  if (answer.findings === undefined) return answer;
  const held = new Set(answer.findings.map(({ rule }) => rule));
  return verdictOf((rule) => held.has(rule));
}

/** Asserts that all engines give the same verdict in both ways, and that each rule has held for some envelopes, and not for all. */
async function agree() {
  const held = new Map(policy.rules.map(({ id }) => [id, 0]));
  const statuses = new Set();
  const inputs = [envelope, ...others(AGREE)];
  for (const input of inputs) {
    const text = JSON.stringify(input);
    const expected = verdict(await all[0].live(input));
    for (const { name, live, text: byText } of all) {
      assert.deepEqual(verdict(await live(input)), expected, `${name}: ${text}`);
      assert.deepEqual(verdict(JSON.parse(await byText(text))), expected, `${name}: ${text}`);
    }
    expected.rules.forEach((rule) => held.set(rule, held.get(rule) + 1));
    statuses.add(expected.status);
  }
  const isWithin = (count) => count > inputs.length / 100 && count < inputs.length;
  for (const [rule, count] of held) assert.ok(isWithin(count), `${rule}: ${count} of ${inputs.length}`);
  assert.equal(statuses.size, 5, [...statuses].join());
}

async function contest(level) {
  const input = level === "text" ? JSON.stringify(envelope) : envelope;
  const runs = [];
  for (const { name, [level]: decide } of all) {
    const isLater = decide(input) instanceof Promise;
    const run = (times) => (isLater ? timedLater(decide, input, times) : timed(decide, input, times));
    let times = 1;
    let took = 0;
    for (; took * 4 < TURN_MS; times *= 2) took = await run(times);
    runs.push({ name, run, times: Math.max(1, Math.round((TURN_MS / took) * (times / 2))), rounds: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const one = runs[(round + turn) % runs.length];
      one.rounds.push(((await one.run(one.times)) * 1_000) / one.times);
    }
  }
  for (const { name, rounds } of runs) {
    const key = `js_peer_${name.replaceAll("-", "_")}_${level}`;
    values[`${key}_us`] = median(rounds);
    values[`${key}_ratio`] = median(rounds.map((micros, round) => micros / runs[0].rounds[round]));
  }
}

/** The computing time of decisions in milliseconds, over all threads. Other load on the machine affects it less than the elapsed time. */
function timed(decide, input, times) {
  const start = process.cpuUsage();
  for (let turn = 0; turn < times; turn++) kept += sizeOf(decide(input));
  return since(start);
}

async function timedLater(decide, input, times) {
  const start = process.cpuUsage();
  for (let turn = 0; turn < times; turn++) kept += sizeOf(await decide(input));
  return since(start);
}

function since(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function sizeOf(answer) {
  return answer.length ?? answer.decision?.risk_flags.length ?? answer.rules.length;
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1];
}

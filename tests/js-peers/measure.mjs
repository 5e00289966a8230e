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

import { contestants, policy } from "./engines.mjs";
import { envelope, others } from "./inputs.mjs";

const isQuick = argv.includes("--quick");
const [AGREE, ROUNDS, TURN_MS] = isQuick ? [500, 5, 40] : [5_000, 21, 200];

const { createEngineSync } = createRequire(join(env.ADJUDICATE_CONSUMER, "package.json"))("adjudicate");
const all = contestants(createEngineSync());

/** A part of each answer, so that no call is optimised away. */
let kept = 0;

await agree();
const values = {};
for (const level of ["text", "live"]) await contest(level);
console.log(JSON.stringify(values));
// ZEN's threads would keep the process alive.
process.exit(0);

/**
 * Asserts that all engines give the same verdict by both ways, and that each rule has held in some envelope and not in
 * another.
 */
async function agree() {
  const held = new Map(policy.rules.map(({ id }) => [id, 0]));
  const statuses = new Set();
  let judged = 0;
  for (const input of [envelope, ...others(AGREE)]) {
    const text = JSON.stringify(input);
    const verdicts = [];
    for (const { live, text: byText, verdict = (answer) => answer } of all) {
      verdicts.push(verdict(await live(input)), verdict(JSON.parse(await byText(text))));
    }
    for (const verdict of verdicts) assert.deepEqual(verdict, verdicts.at(-1), text);
    verdicts[0].rules.forEach((rule) => held.set(rule, held.get(rule) + 1));
    statuses.add(verdicts[0].status);
    judged++;
  }
  for (const [rule, count] of held) assert.ok(count > judged / 100 && count < judged, `${rule}: ${count} of ${judged}`);
  assert.equal(statuses.size, 5, [...statuses].join());
  console.log(
    `${all.length} engines agree on ${judged} envelopes: ${[...held].map(([rule, count]) => `${rule} ${count}`).join(", ")}`,
  );
}

async function contest(level) {
  const input = level === "text" ? JSON.stringify(envelope) : envelope;
  const runs = [];
  for (const { name, isLater, [level]: decide } of all) {
    const run = isLater ? (times) => timedLater(decide, input, times) : (times) => timed(decide, input, times);
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

/**
 * The computing time of a number of decisions in milliseconds, over all threads. Other load on the machine affects it
 * less than the elapsed time.
 */
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

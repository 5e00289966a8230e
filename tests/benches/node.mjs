// The Node side of the benchmarks: each line on stdin is a request, and each line on stdout is its answer as a JSON
// string. `{"envelope": text}` chooses the envelope and returns its answer; `{"times": n}` returns the nanoseconds of n
// calls.

import { createInterface } from "node:readline";

import { createEngine } from "adjudicate";

const engine = await createEngine();
let envelope = "";

/** Keeps the calls from being optimised away. */
let length = 0;

function time(times) {
  const start = process.hrtime.bigint();
  for (let turn = 0; turn < times; turn += 1) length += engine.evaluateText(envelope).length;
  return (process.hrtime.bigint() - start).toString();
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.envelope !== undefined) envelope = request.envelope;
  const reply = request.envelope === undefined ? time(request.times) : engine.evaluateText(envelope);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
if (length < 0) throw new Error("unreachable");

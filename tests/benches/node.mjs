// The Node side of the benchmarks: each line on stdin is a request, and each line on stdout is its answer as a JSON
// string. `{"envelope": text}` chooses the envelope and returns its answer; `{"way": name, "times": n}` returns the
// nanoseconds of n calls.

import { createInterface } from "node:readline";

import { createEngine } from "adjudicate";

/** The field that a user types in. */
const TYPED = "/evidence/transcript_summary";

const engine = await createEngine();
let envelope = "";
let open = engine.openText("{}");
/** The text of the field, and the text before its last letter was typed. */
let typed = [];

/** Chooses the envelope. A preview must have the answers of whole texts, so that no wrong answer is timed. */
function choose(text) {
  open.free();
  envelope = text;
  open = engine.openText(text);
  const { transcript_summary: summary } = JSON.parse(text).evidence;
  typed = [summary, summary.slice(0, -1)];
  for (const text of [...typed, ...typed]) {
    if (open.set(TYPED, text).evaluateText() !== engine.evaluateText(open.text())) throw new Error("another answer");
  }
  return engine.evaluateText(text);
}

const WAYS = {
  text: () => engine.evaluateText(envelope),
  preview: (turn) => open.set(TYPED, typed[turn % 2]).evaluateText(),
};

/** Keeps the calls from being optimised away. */
let length = 0;

function time(run, times) {
  const start = process.hrtime.bigint();
  for (let turn = 0; turn < times; turn += 1) length += run(turn).length;
  return (process.hrtime.bigint() - start).toString();
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const reply = request.envelope === undefined ? time(WAYS[request.way], request.times) : choose(request.envelope);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
if (length < 0) throw new Error("unreachable");

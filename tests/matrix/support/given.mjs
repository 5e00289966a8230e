// The calls of consumers and their expected answers: calls of the corpus, byte for byte, and a policy module's own
// fixtures.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

import { LOOP, module } from "../../../js/test/support/wasm.mjs";
import { readCorpus } from "../../corpus/parity.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A run with a policy. Its envelope is also sent alone. */
const RUN = "run-rust-service-failing-integration";
/** The modules, by their languages. */
const GUESTS = ["rust", "assemblyscript", "zig", "wat"];
/** The number of fixtures that each gets. */
const INPUTS = 6;

const isError = (answer) => answer.startsWith('{"error":');

/** The first accepted and the first refused case of each operation. */
function samples(cases) {
  const kinds = new Map();
  for (const one of cases) {
    const kind = `${one.operation} ${isError(one.answer) ? "refused" : "answered"}`;
    if (one.text !== null && !kinds.has(kind)) kinds.set(kind, one);
  }
  return [...kinds.values()];
}

const cases = readCorpus(readFileSync(variable("ADJUDICATE_CORPUS"), "utf8"));
const calls = samples(cases);
if (calls.length < 20) throw new Error(`only ${calls.length} calls in the corpus`);

const run = cases.find(({ operation, name }) => operation === "evaluate" && name.endsWith(RUN));
if (run === undefined) throw new Error(`no fixture \`${RUN}\``);
const { envelope, policy } = JSON.parse(run.text);

const base64 = (bytes) => Buffer.from(bytes).toString("base64");

const guests = GUESTS.map((language) => {
  const lines = readFileSync(join(root, "fixtures/modules", `${language}.ndjson`), "utf8").trim().split("\n").slice(0, INPUTS);
  return { module: base64(readFileSync(join(variable("ADJUDICATE_GUESTS"), `${language}.wasm`))), spoken: lines.map((line) => JSON.parse(line)) };
});

/** The calls of every consumer. */
export const given = {
  calls: calls.map(({ name, operation, text }) => ({ name: `${operation} ${name}`, operation, text })),
  envelope,
  policy,
  envelopes: `${JSON.stringify(envelope)}\n{}\n${JSON.stringify(envelope)}`,
  misspelt: { ...envelope, evidnce: {} },
  guests: guests.map(({ module, spoken }) => ({ module, inputs: spoken.map(({ input }) => input) })),
  endless: base64(module({ body: LOOP })),
  // No call takes so long, except the endless one.
  patient: { deadlineMs: 60_000 },
  short: { deadlineMs: 250 },
};

const replies = guests.flatMap(({ spoken }) => spoken).map(({ reply }) => (reply.startsWith('{"ok":') ? reply.slice('{"ok":'.length, -1) : reply));

/** The required fields of an envelope. */
const REQUIRED = ["run_id", "workflow_id", "step_id", "evaluate_prompt", "allowed_next_steps", "provenance_window", "evidence"];

/** The answer to an empty envelope with a policy: the first error with the others. */
const [first, ...others] = REQUIRED.map((name) => ({ code: "missing_field", message: `envelope: missing field \`${name}\``, path: `/${name}` }));
const NO_RUN = JSON.stringify({ error: { ...first, others } });

/** The answers on a platform that compiles from bytes and has workers. */
const everywhere = {
  ...Object.fromEntries(calls.map(({ name, operation, answer }) => [`${operation} ${name}`, answer])),
  evaluate: run.answer,
  "parsed policy": run.answer,
  batch: `${run.answer}\n${NO_RUN}\n${run.answer}\n`,
  error: { code: "unknown_field", path: "/evidnce", isOfTheClass: true },
  "a module": replies,
  "a module with a deadline": replies,
  "an endless module": "module_deadline",
};

/** The import compiles nothing. A later compilation is visible, so an earlier one would be visible, too. */
const reportWith = (refused) => ({ answers: { ...everywhere, ...refused }, atImport: [], later: true });

/** The report on a platform that has everything. */
export const EVERYTHING = reportWith({});

/** The report on a platform without workers, which cannot have deadlines. */
export const WITHOUT_WORKERS = reportWith({ "a module with a deadline": "host_fault", "an endless module": "host_fault" });

/** The report on a platform that compiles only the WebAssembly of its own bundle. */
export const WITHOUT_MODULES = reportWith({ "a module": "module_compile", "a module with a deadline": "module_compile", "an endless module": "module_compile" });

/** A report with the codes of errors about modules instead of their messages, which contain the platform's own words. */
export function comparable(report) {
  if (typeof report !== "object") return report;
  const answers = { ...report.answers };
  for (const way of MODULE_WAYS) {
    const answer = answers[way];
    if (typeof answer === "string" && isError(answer)) answers[way] = JSON.parse(answer).error.code;
  }
  return { ...report, answers };
}

/** The calls of modules. */
const MODULE_WAYS = ["a module", "a module with a deadline", "an endless module"];

function variable(name) {
  if (env[name] === undefined) throw new Error(`${name} is not set: \`cargo xtask test matrix\` runs this`);
  return env[name];
}

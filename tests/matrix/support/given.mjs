// What consumers are asked, and what they must answer: calls of the corpus, byte for byte, and a policy module's own fixtures.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

import { LOOP, module } from "../../../js/test/support/wasm.mjs";
import { readCorpus } from "../../corpus/parity.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A run with a policy, whose envelope is sent also by itself. */
const RUN = "run-rust-service-failing-integration";
/** The module in WebAssembly text. */
const GUEST = "wat";
/** How many of its fixtures are asked. */
const INPUTS = 6;

const isError = (answer) => answer.startsWith('{"error":');

/** The first case of each operation that is answered, and the first that is refused. */
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

const guest = readFileSync(join(variable("ADJUDICATE_GUESTS"), `${GUEST}.wasm`));
const spoken = readFileSync(join(root, "fixtures/modules", `${GUEST}.ndjson`), "utf8")
  .trim()
  .split("\n")
  .slice(0, INPUTS)
  .map((line) => JSON.parse(line));

const base64 = (bytes) => Buffer.from(bytes).toString("base64");

/** What is asked. */
export const given = {
  calls: calls.map(({ name, operation, text }) => ({ name: `${operation} ${name}`, operation, text })),
  envelope,
  policy,
  envelopes: `${JSON.stringify(envelope)}\n{}\n${JSON.stringify(envelope)}`,
  misspelt: { ...envelope, evidnce: {} },
  modules: { guest: base64(guest), endless: base64(module({ body: LOOP })) },
  inputs: spoken.map(({ input }) => input),
  // No innocent call takes so long, and the endless one takes any time.
  patient: { deadlineMs: 60_000 },
  short: { deadlineMs: 250 },
};

const replies = spoken.map(({ reply }) => (reply.startsWith('{"ok":') ? reply.slice('{"ok":'.length, -1) : reply));

/** What an empty envelope beside a policy is told. */
const NO_RUN = '{"error":{"code":"missing_field","message":"envelope: missing field `run_id`","path":"/run_id"}}';

/** What must be answered where there is everything: compiling from bytes, and workers. */
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

/** Nothing is compiled by the import, and that is seen, for something is later. */
const reportWith = (refused) => ({ answers: { ...everywhere, ...refused }, atImport: [], later: true });

/** The report of a consumer on a platform that has everything. */
export const EVERYTHING = reportWith({});

/** The report where no worker may be started, so that there can be no deadline. */
export const WITHOUT_WORKERS = reportWith({ "a module with a deadline": "host_fault", "an endless module": "host_fault" });

/** The report where no WebAssembly is compiled but what came with the code. */
export const WITHOUT_MODULES = reportWith({
  "a module": "module_compile",
  "a module with a deadline": "module_compile",
  "an endless module": "module_compile",
});

/** A report with the codes of errors about modules instead of their messages, which name a platform's own words. */
export function told(report) {
  if (typeof report !== "object") return report;
  const answers = { ...report.answers };
  for (const way of MODULE_WAYS) {
    const answer = answers[way];
    if (typeof answer === "string" && isError(answer)) answers[way] = JSON.parse(answer).error.code;
  }
  return { ...report, answers };
}

/** What is asked of modules. */
const MODULE_WAYS = ["a module", "a module with a deadline", "an endless module"];

function variable(name) {
  if (env[name] === undefined) throw new Error(`${name} is not set: \`cargo xtask test matrix\` runs this`);
  return env[name];
}

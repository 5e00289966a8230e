/**
 * From a repository to an envelope or a decision: runs the validators of `adjudicate.yaml`, asks git, reads reports, and keeps the state of the
 * run. It needs Node.
 *
 * `collect.wasm` has all code of a collection except files and processes, which are in `system.ts`. The command runs the same code.
 */
import { resolve } from "node:path";

import { AdjudicateError, type AdjudicateErrorOptions, type AnyErrorCode } from "../error.js";
import type { Engine } from "../engine.js";
import type { Envelope } from "../generated/types.js";
import { optionsOf, type Form } from "../options.js";
import { jsonOf } from "../strict.js";
import { isWellFormed } from "../text.js";
import { checkArguments, kindOf, wrongUsage } from "../usage.js";
import { CollectInstance, textOf } from "./module.js";
import { System, type Decider } from "./system.js";
import type { CollectOptions, Decided, ReadReportOptions, Reading } from "./types.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "./types.js";

const COLLECT: Form<keyof CollectOptions> = {
  names: ["directory", "base", "newRun", "waitMs", "agent", "with", "signal", "onProgress"],
};

const READ_REPORT: Form<keyof ReadReportOptions> = { names: ["format", "name", "root"] };

/**
 * Runs the validators of a repository, and returns the envelope of the evidence: that of `adjudicate collect`.
 *
 * ```js
 * const { evidence } = await collect({ directory });
 * console.log(evidence.validation.exit_codes.unit, evidence.uncollected ?? "all collected");
 * ```
 *
 * @throws {AdjudicateError} with the code of the command: `unreadable_input` without a configuration, or if another process collects there;
 * the error of a damaged configuration, state or `with`; `invalid_value` for a base that is no commit; `unwritable_output`; `engine_load`;
 * `wrong_usage`.
 */
export async function collect(options?: CollectOptions): Promise<Envelope> {
  checkArguments(arguments, 1, "options");
  const [envelope] = await collected("collect", options, undefined);
  return JSON.parse(envelope ?? "");
}

/**
 * Runs the validators of a repository, evaluates and refines, and stores the new state of the run, as `adjudicate run` does. The policy is that
 * of the configuration.
 *
 * ```js
 * const { evaluation } = await run(engine, { directory });
 * console.log(evaluation.decision.status, evaluation.decision.next_step);
 * ```
 *
 * When the promise is fulfilled, the state is on the disk.
 *
 * @throws {AdjudicateError} as {@link collect}; the error of a damaged policy.
 */
export async function run(engine: Engine, options?: CollectOptions): Promise<Decided> {
  checkArguments(arguments, 2, "an engine and options");
  if (typeof (engine as Partial<Engine> | undefined)?.callText !== "function") throw wrongUsage(`expected an engine, found ${kindOf(engine)}`);
  const decider: Decider = {
    checkPolicy: (policy) => engine.policyText(policy).free(),
    decide: (envelope, policy) => {
      const call = policy === undefined ? `{"envelope":${envelope}}` : `{"envelope":${envelope},"policy":${policy}}`;
      return [engine.callText("evaluate", call), engine.callText("refine", call)];
    },
  };
  const [envelope = "", evaluation = "", revision = ""] = await collected("run", options, decider);
  return { envelope: JSON.parse(envelope), evaluation: JSON.parse(evaluation), revision: JSON.parse(revision) };
}

/**
 * Reads a report: a test report, a SARIF log or coverage.
 *
 * ```js
 * const { tests } = await readReport(await readFile("junit.xml"));
 * for (const { id, status } of tests.cases) console.log(id, status);
 * ```
 *
 * @throws {AdjudicateError} `malformed_report`; `limit_exceeded` beyond a limit of the readers; `invalid_value` if the format is unknown or
 * ambiguous.
 */
export async function readReport(text: string | Uint8Array, options?: ReadReportOptions): Promise<Reading> {
  checkArguments(arguments, 2, "a text and options");
  if (typeof text !== "string" && !(text instanceof Uint8Array)) throw wrongUsage(`expected a text or its bytes, found ${kindOf(text)}`);
  const { format = "", name = "", root = "" } = optionsOf<keyof ReadReportOptions, ReadReportOptions>(options, READ_REPORT);
  const fields = [text, textIn(format, "format"), textIn(name, "name"), textIn(root, "root")];
  const [reading = ""] = resultOf((await CollectInstance.create()).call("read_report", fields));
  return JSON.parse(reading);
}

async function collected(kind: "collect" | "run", options: CollectOptions | undefined, decider: Decider | undefined): Promise<string[]> {
  const given = optionsOf<keyof CollectOptions, CollectOptions>(options, COLLECT);
  const { directory = process.cwd(), base = "", newRun = false, waitMs = 10_000, agent, with: external, signal, onProgress } = given;
  if (typeof newRun !== "boolean") throw wrongUsage(`\`newRun\` is true or false, found ${kindOf(newRun)}`);
  if (!Number.isInteger(waitMs) || waitMs < 0 || waitMs > 86_400_000) throw wrongUsage("`waitMs` is a whole number from 0 to 86400000");
  if (onProgress !== undefined && typeof onProgress !== "function") throw wrongUsage(`\`onProgress\` is a function, found ${kindOf(onProgress)}`);
  const begin = [
    kind,
    resolve(textIn(directory, "directory")),
    textIn(base, "base"),
    newRun ? "1" : "",
    String(waitMs),
    agent === undefined ? "" : jsonOf(agent),
    external === undefined ? "" : jsonOf(external, "with: "),
  ];
  const instance = await CollectInstance.create();
  const system = new System(signal, onProgress, decider);
  try {
    let message = instance.call("begin", begin);
    while (!isEnd(message)) message = instance.call("resume", await system.answer(message));
    if (system.thrown !== undefined) throw system.thrown.error;
    return resultOf(message);
  } finally {
    await system.end();
  }
}

function isEnd([kind]: readonly Uint8Array[]): boolean {
  return ["end", "error", "failure"].includes(textOf(kind));
}

/** Returns the documents of an end. */
function resultOf(message: readonly Uint8Array[]): string[] {
  const [kind, ...fields] = message.map(textOf);
  if (kind === "end") return fields;
  if (kind === "failure") throw new AdjudicateError(fields[0] as AnyErrorCode, fields[1] ?? "");
  const { error } = JSON.parse(fields[0] ?? "") as { error: { code: AnyErrorCode; message: string; path: string } & AdjudicateErrorOptions };
  throw new AdjudicateError(error.code, error.message, error.path, { others: error.others ?? [] });
}

function textIn(value: unknown, name: string): string {
  if (typeof value === "string" && isWellFormed(value)) return value;
  throw wrongUsage(`\`${name}\` is a string, found ${kindOf(value)}`);
}

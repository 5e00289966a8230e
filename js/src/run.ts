/**
 * A run: a fold over its steps that makes the next envelope from the earlier ones.
 *
 * It has no rules and calls no engine. `Run` of the crate `adjudicate-core` is the same fold.
 */
import type { ComposedEvaluation, Entry, Envelope, Evaluation, Evidence, Refinement, Revision } from "./generated/types.js";
import { own } from "./own.js";
import { copyOf } from "./strict.js";
import { isPlain, kindOf, checkArguments, shortened, wrongUsage } from "./usage.js";

export { AdjudicateError, type AnyErrorCode } from "./error.js";

/** The longest diff summary that a run keeps of earlier evaluations, in bytes. */
const MAX_OLD_DIFF = 1024;

/** The most blockers with items that a run keeps of earlier evaluations. If there are more, it keeps the codes only. */
const MAX_OLD_BLOCKERS = 100;

/** The fields that the envelopes of a run share; or an earlier envelope of the run, to continue it. */
export type RunStart = Omit<Envelope, "evidence" | "provenance_window"> & Partial<Pick<Envelope, "evidence" | "provenance_window">>;

/** The options of a run. */
export interface RunOptions {
  /**
   * The number of latest steps in the provenance window. Default: 3. With 0 the window is empty, and the evaluator does not notice that a
   * second attempt was interrupted like the first.
   */
  readonly window?: number | undefined;
}

/**
 * The state of a run between evaluations: its window, history, counters and blockers. A run does not change: `record` and `take` return the
 * next one.
 *
 * Every evaluation stays in `evaluate_history`. In earlier ones, a diff summary of more than 1,024 bytes becomes a
 * short line, and of more than 100 blockers only the codes stay. In addition to the latest steps, the window has the
 * steps that rules look back at. These are the latest evaluation, the attempt before it, the latest attempt, and the
 * latest step with each risk flag.
 */
export interface Run {
  /**
   * Adds a step that has ended, and returns the new run. An evaluation also becomes part of the history.
   *
   * @throws {AdjudicateError} `wrong_usage` if the argument is not an object, `invalid_value` if it has no JSON form.
   */
  record(entry: Entry): Run;
  /**
   * Returns the envelope for this evidence. You can change fields that differ from step to step, for example `step_id`.
   *
   * @throws {AdjudicateError} as `record`.
   */
  envelope(evidence: Evidence): Envelope;
  /**
   * Adds the answers of `evaluate` and `refine` to the same envelope, and returns the new run. The status, the flags and the refinements come
   * from `evaluation`, which may be a composed one. Blocker codes come from both.
   *
   * @throws {AdjudicateError} `wrong_usage` if the arguments are not such answers.
   */
  take(evaluation: Evaluation | ComposedEvaluation, revision: Pick<Revision, "next">): Run;
}

/**
 * Starts a run, or continues the run of an earlier envelope. Without `evaluate_history`, the evaluations in the window are the history.
 *
 * ```js
 * let run = createRun({
 *   run_id: "run-1", workflow_id: "release", step_id: "evaluate", evaluate_prompt: "release.v1",
 *   allowed_next_steps: ["publish", "fix", "gate"],
 * });
 * const envelope = run.envelope(evidence);
 * const evaluation = engine.evaluate(envelope);
 * run = run.take(evaluation, engine.refine(envelope, { evaluation }));
 * console.log(evaluation.decision.next_step);
 * ```
 *
 * @throws {AdjudicateError} `wrong_usage` if the start is not an object, or `window` is not a whole number of 0 or more.
 */
export function createRun(start: RunStart, options?: RunOptions): Run {
  checkArguments(arguments, 2, "a start and options");
  const window = windowOf(options);
  const { evidence: _, provenance_window, evaluate_history, refinement, ...shared } = dataOf(start, "a start");
  const entries = provenance_window ?? [];
  const history = evaluate_history ?? entries.filter(isEvaluation);
  return new Fold({ shared, window, entries: cut(entries, window), history, refinement });
}

function windowOf(options: RunOptions | undefined): number {
  if (options !== undefined && !isPlain(options)) throw wrongUsage(`options must be a plain object, found ${kindOf(options)}`);
  const { window = 3, ...others } = own(options);
  for (const key of Reflect.ownKeys(others)) throw wrongUsage(`unknown option \`${shortened(String(key))}\`, the one option is \`window\``);
  if (window === Infinity || (Number.isInteger(window) && window >= 0)) return window;
  throw wrongUsage("expected a number of steps of 0 or more in `window`");
}

interface FoldState {
  readonly shared: Omit<RunStart, "evidence" | "provenance_window" | "evaluate_history" | "refinement">;
  readonly window: number;
  readonly entries: readonly Entry[];
  readonly history: readonly Entry[];
  readonly refinement: Refinement | undefined;
}

class Fold implements Run {
  readonly #state: FoldState;

  constructor(state: FoldState) {
    this.#state = state;
  }

  record(entry: Entry): Run {
    return this.#with(dataOf(entry, "an entry"), this.#state.refinement);
  }

  envelope(evidence: Evidence): Envelope {
    const { shared, entries, history, refinement } = this.#state;
    const past = { provenance_window: entries, evidence: dataOf(evidence, "evidence"), evaluate_history: history };
    return structuredClone({ ...shared, ...past, ...(refinement && { refinement }) }) as Envelope;
  }

  take(evaluation: Evaluation | ComposedEvaluation, revision: Pick<Revision, "next">): Run {
    const { decision, loop } = dataOf(evaluation, "an evaluation");
    const { next } = dataOf(revision, "a revision");
    const counted = own(loop).refinement;
    if (!isPlain(decision) || !isPlain(counted) || !isPlain(own(next).history_entry)) throw wrongUsage("expected answers of `evaluate` and `refine`");
    const { status, risk_flags, blockers } = decision;
    const entry = next.history_entry;
    const codes = new Set([...entry.blocker_codes, ...blockers.map(({ code }) => code)]);
    const { cap, spent, requested } = counted;
    const refinement = { ...this.#state.refinement, cap, spent: spent + Number(requested) };
    return this.#with(own({ ...entry, status, risk_flags, blocker_codes: [...codes] }) as Entry, refinement);
  }

  #with(entry: Entry, refinement: Refinement | undefined): Run {
    const { window, entries, history } = this.#state;
    const latest = isEvaluation(entry) ? [...history.slice(0, -1), ...history.slice(-1).map(abridged), entry] : history;
    return new Fold({ ...this.#state, entries: cut([...entries, entry], window), history: latest, refinement });
  }
}

/** Returns a copy of an object of the caller as plain data that inherits nothing. */
function dataOf<Data extends object>(given: Data, what: string): Data {
  const data = copyOf(given ?? null, `${what}: `);
  if (!isPlain(data)) throw wrongUsage(`expected ${what}, found ${kindOf(given)}`);
  return data as Data;
}

/** Returns the latest entries, and the earlier ones that rules look back at. */
function cut(entries: readonly Entry[], steps: number): Entry[] {
  const flags = new Set<string>();
  let evaluations = 0;
  let isAttemptOwed = true;
  const kept = [...entries].reverse().filter((entry, age) => {
    let stays = age < steps;
    if (isEvaluation(entry)) {
      stays ||= evaluations === 0;
      // The attempt before the latest evaluation.
      isAttemptOwed ||= evaluations === 0;
      evaluations += 1;
    } else {
      // The engine reports an absent list.
      for (const flag of entry.risk_flags ?? []) {
        stays ||= !flags.has(flag);
        flags.add(flag);
      }
    }
    if (isAttemptOwed && isAttempt(entry)) {
      stays = true;
      isAttemptOwed = false;
    }
    return stays && steps > 0;
  });
  return kept.reverse().map(abridged);
}

function isEvaluation({ opcode }: Entry): boolean {
  return opcode === "EVALUATE";
}

function isAttempt({ opcode, outcome }: Entry): boolean {
  return (opcode === "RUN_AGENT" || opcode === "RUN_VALIDATION") && outcome !== undefined;
}

/** Returns an entry without a long diff summary and without many blockers. No rule reads them in earlier entries. */
function abridged(entry: Entry): Entry {
  const copy = own(entry) as { -readonly [Name in keyof Entry]?: Entry[Name] };
  const bytes = new TextEncoder().encode(copy.diff_summary).length;
  if (bytes > MAX_OLD_DIFF) copy.diff_summary = `a summary of ${bytes} bytes is left out`;
  if (copy.blockers !== undefined && copy.blockers.length > MAX_OLD_BLOCKERS) delete copy.blockers;
  return copy as Entry;
}

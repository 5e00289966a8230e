/** A strict TypeScript user's code with a run. Compiled, never run. */
import { AdjudicateError, createRun } from "adjudicate/run";
import type { Run, RunOptions, RunStart } from "adjudicate/run";
import type { Engine, Entry, Envelope, Evidence } from "adjudicate";

declare const engine: Engine;
declare const evidence: Evidence;
declare const earlier: Envelope;

const start: RunStart = { run_id: "run-1", workflow_id: "release", step_id: "evaluate", evaluate_prompt: "release.v1", allowed_next_steps: ["publish", "fix"] };
const options: RunOptions = { window: 5 };
const ran: Entry = { step_id: "build", opcode: "RUN_AGENT", outcome: "completed", diff_summary: "", risk_flags: [], blocker_codes: [] };

export function next(): string | null {
  let run: Run = createRun(start, options).record(ran);
  const envelope: Envelope = { ...run.envelope(evidence), step_id: "evaluate-2" };
  const evaluation = engine.evaluate(envelope);
  run = run.take(evaluation, engine.refine(envelope, { evaluation }));
  run = createRun(earlier).take(engine.compose(envelope), { next: engine.refine(envelope).next });
  // @ts-expect-error: an entry has a status or an outcome
  run.record({ ...ran, outcome: undefined });
  // @ts-expect-error: an unknown option
  createRun(start, { windows: 3 });
  return evaluation.decision.next_step;
}

export const isOurs = (error: unknown): boolean => error instanceof AdjudicateError && error.code === "wrong_usage";

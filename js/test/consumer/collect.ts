/** A strict TypeScript user's code with collections. Compiled, never run. */
import { AdjudicateError, collect, readReport, run } from "adjudicate/collect";
import type { CollectOptions, CollectProgress, Decided, Reading, ReportTests, StopSignal } from "adjudicate/collect";
import type { Engine, Envelope } from "adjudicate";

declare const engine: Engine;
declare const signal: StopSignal;

const options: CollectOptions = {
  directory: ".",
  base: "main",
  newRun: true,
  waitMs: 0,
  with: { approvals: { required: [], granted: ["qa-lead"] }, policy_events: ["info:x"], "x-build": { minutes: 12 } },
  signal,
  onProgress: (progress: CollectProgress) => (progress.event === "started" ? progress.count : progress.passed),
};

export async function next(): Promise<string | null> {
  const envelope: Envelope = await collect(options);
  const decided: Decided = await run(engine, { agent: envelope.provenance_window[0] });
  const reading: Reading = await readReport(new Uint8Array(), { format: "junit", name: "a.xml", root: "/" });
  const tests: ReportTests | undefined = reading.tests;
  // @ts-expect-error: an unknown format
  await readReport("", { format: "yaml" });
  // @ts-expect-error: a field that a collection finds itself
  await collect({ with: { validation: {} } });
  // @ts-expect-error: no engine
  await run(options);
  return tests?.incomplete ?? decided.evaluation.decision.next_step;
}

export const isBusy = (error: unknown): boolean => error instanceof AdjudicateError && error.code === "unreadable_input";

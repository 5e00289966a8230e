/**
 * Judges the calls and the steps of runs. Every entry for an agent SDK is built on this file.
 *
 * It has no rules: it converts calls and steps for guardrails and `evaluate`. A failure denies the call or stops the run.
 */
import { itemsOf } from "../list.js";
import { CheckedJudge } from "./checked-judge.js";
import { judgeCall } from "./calls.js";
import { envelopeOf, evidenceOfStep } from "./envelope.js";
import { checkGuardrails, checkJudge, settingsOf } from "./options.js";
import type { Step, ToolCall } from "./step.js";
import { Steps } from "./steps.js";
import type { CallVerdict, GateOptions, Judge, Judgments, StepVerdict } from "./types.js";

/** The functions of a gate, before an entry adds those of its SDK. */
export interface GateCore extends Judgments {
  /** The names of the known tools. */
  readonly tools: readonly string[];
  /** Judges every step of a run. Returns the strictest verdict that stops the run, or else the verdict on the last step. */
  readonly judgeRun: (steps: readonly Step[]) => Promise<StepVerdict>;
  /** Returns the same functions for a run that continues after these steps. */
  readonly after: (steps: readonly Step[]) => GateCore;
}

/**
 * Reads the options, the guardrails and the policies of a gate, so that their errors appear before a call runs.
 *
 * @throws {AdjudicateError} as `createGate`.
 */
export async function createJudgments(judge: Judge, options: GateOptions): Promise<GateCore> {
  checkJudge(judge);
  const settings = settingsOf(options);
  const judging = new CheckedJudge(judge, settings);
  await judging.tryGuardrails();
  checkGuardrails(settings);
  const trial = envelopeOf(settings.runId, "trial", evidenceOfStep("stop", [], settings.tools));
  for (const policy of [...settings.callPolicies, settings.stepPolicy, settings.stepWorkspace]) {
    if (policy) await judging.evaluate(trial, policy);
  }
  const steps = new Steps(judging, settings);
  const reported = new WeakSet<CallVerdict | StepVerdict>();
  const report = <Verdict extends CallVerdict | StepVerdict>(verdict: Verdict): Verdict => {
    if (reported.has(verdict)) return verdict;
    reported.add(verdict);
    // A recorder must not change a verdict, neither by an error nor by writing to it.
    Object.freeze(verdict);
    void (async () => settings.onVerdict?.(verdict))().catch(() => undefined);
    return verdict;
  };
  const coreAfter = (earlier: readonly Step[]): GateCore => ({
    tools: [...settings.tools.keys()],
    judgeCall: async (toolCall: ToolCall, runtimeContext?: unknown) => report(await judgeCall(judging, settings, toolCall, runtimeContext)),
    judgeSteps: async (more) => report(await steps.verdict(more, earlier)),
    judgeRun: async (more) => report(await steps.strictest(more, earlier)),
    after: (more) => coreAfter([...earlier, ...(itemsOf(more, "steps") as Iterable<Step>)]),
  });
  return coreAfter([]);
}

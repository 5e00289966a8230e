/**
 * Judges a finished step, with the steps before it as its history.
 *
 * A run is a fold over its steps, so the gate keeps no state between the SDK's calls. It only caches the verdict on each step while the step
 * exists.
 */
import type { Evaluation, GuardrailAction, GuardrailEvent } from "../generated/types.js";
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { own } from "../own.js";
import type { Run } from "../run.js";
import type { CheckedJudge } from "./checked-judge.js";
import { envelopeOf, evidenceOfChanges, evidenceOfStep, isReviewed, runOf } from "./envelope.js";
import type { StepVerdict } from "./types.js";
import { nodeOf, type GateSettings } from "./options.js";
import { outcomesOf, type CallOutcome } from "./outcomes.js";
import type { Step } from "./step.js";
import { stricterBy } from "./strictest.js";
import { actionText, evaluationText, wellFormed } from "./texts.js";

/** The state of the run after a step. */
interface RunProgress {
  /** The steps so far, for `evaluate`. */
  readonly run: Run;
  /** The number of retries for each guardrail. */
  readonly retries: ReadonlyMap<string, number>;
}

interface JudgedStep {
  readonly verdict: StepVerdict;
  readonly loop: RunProgress;
}

type StepJudgment = Pick<StepVerdict, "action" | "by" | "asks" | "reason">;

const stricter = stricterBy<StepJudgment>(["continue", "feedback", "stop"]);
const CONTINUE: StepJudgment = { action: "continue", by: "policy", asks: false, reason: "" };

/** Judges the steps of runs. */
export class Steps {
  readonly #judging: CheckedJudge;
  readonly #settings: GateSettings;
  readonly #start: RunProgress;
  /** The verdict on each step, with the state before it. */
  readonly #judged = new WeakMap<Step, { after: RunProgress; judged: Promise<JudgedStep> }>();

  constructor(judging: CheckedJudge, settings: GateSettings) {
    this.#judging = judging;
    this.#settings = settings;
    this.#start = { run: runOf(settings.runId), retries: new Map() };
  }

  /** Returns the verdict on the last step. A failure stops the run, and later steps stay stopped. */
  async verdict(steps: readonly Step[], earlier: readonly Step[]): Promise<StepVerdict> {
    return last(await this.#verdicts(steps, earlier));
  }

  /** Returns the strictest verdict that stops the run, or else the verdict on the last step. A human can lift a stop that asks. */
  async strictest(steps: readonly Step[], earlier: readonly Step[]): Promise<StepVerdict> {
    const verdicts = await this.#verdicts(steps, earlier);
    const stops = verdicts.filter(({ action }) => action === "stop");
    return stops.find(({ asks }) => !asks) ?? stops.at(0) ?? last(verdicts);
  }

  /** Returns the verdicts on steps, with the earlier steps as their history. Nothing follows a failure. */
  async #verdicts(steps: readonly Step[], earlier: readonly Step[]): Promise<StepVerdict[]> {
    const verdicts: StepVerdict[] = [];
    try {
      let loop = this.#start;
      const passed: Step[] = [];
      for (const step of joined(earlier, steps)) {
        passed.push(step);
        const { verdict, loop: next } = await this.#once(step, [...passed], loop);
        if (passed.length > earlier.length || verdict.by === "fault") verdicts.push(verdict);
        if (verdict.by === "fault") break;
        loop = next;
      }
    } catch (error) {
      verdicts.push(fault(error));
    }
    return verdicts;
  }

  #once(step: Step, steps: readonly Step[], after: RunProgress): Promise<JudgedStep> {
    const known = this.#judged.get(step);
    if (known?.after === after) return known.judged;
    const judged = this.#judge(step, steps, after).catch((error: unknown) => ({ verdict: fault(error), loop: after }));
    this.#judged.set(step, { after, judged });
    return judged;
  }

  async #judge(step: Step, steps: readonly Step[], loop: RunProgress): Promise<JudgedStep> {
    const calls = outcomesOf(step);
    const { stepPolicy, stepWorkspace, runId, tools } = this.#settings;
    const found = evidenceOfStep(own(step).finishReason, calls, tools);
    const given = this.#settings.evidence === undefined ? found : this.#settings.evidence(found, step);
    // The envelope's copy of the evidence is used from here on, so the decision and the history agree.
    const envelope = { ...loop.run.envelope(given), step_id: `step-${steps.length}` };
    const { evidence } = envelope;
    let evaluation = await this.#judging.evaluate(envelope, stepPolicy);
    const next = await this.#judging.refine(envelope, evaluation, stepPolicy);
    const run = loop.run.take(evaluation, { next: { ...next, history_entry: { ...next.history_entry, reviewed: isReviewed(evidence) } } });
    const { actions, retries } = await this.#guardrails(step, steps, calls, loop);
    if (stepWorkspace !== undefined) {
      const changes = envelopeOf(runId, envelope.step_id, evidenceOfChanges(evidence));
      const ofChanges = await this.#judging.evaluate(changes, stepWorkspace);
      if (stricter(ofEvaluation(evaluation), ofEvaluation(ofChanges)).action !== ofEvaluation(evaluation).action) evaluation = ofChanges;
    }
    const judgment = actions.map(ofGuardrail).reduce(stricter, ofEvaluation(evaluation));
    const answers = structuredClone({ actions, evaluation });
    return {
      verdict: { about: "step", ...judgment, status: evaluation.decision.status, ...answers },
      loop: { run, retries },
    };
  }

  /** Returns the actions of the guardrails for all events of a step. */
  async #guardrails(
    step: Step,
    steps: readonly Step[],
    calls: readonly CallOutcome[],
    loop: RunProgress,
  ): Promise<{ actions: GuardrailAction[]; retries: RunProgress["retries"] }> {
    const actions: GuardrailAction[] = [];
    const retries = new Map(loop.retries);
    for (const event of this.#events(step, steps, calls)) {
      for (const fired of await this.#judging.guardrails(event, { retries: Object.fromEntries(retries) })) {
        if (fired.action.type === "retry") retries.set(fired.policyId, (retries.get(fired.policyId) ?? 0) + 1);
        actions.push(fired);
      }
    }
    return { actions, retries };
  }

  #events(step: Step, steps: readonly Step[], calls: readonly CallOutcome[]): GuardrailEvent[] {
    if (this.#settings.guardrails.length === 0) return [];
    const events: GuardrailEvent[] = [];
    const context: unknown = this.#settings.context?.(contextOf(step));
    for (const { toolName, toolCallId, input, state, output, reason } of calls) {
      if (state !== "done" && state !== "failed") continue;
      const node = nodeOf(toolName, this.#settings.tools.get(toolName));
      const about = context === undefined ? { tool: toolName, input } : { tool: toolName, input, context };
      const happened = state === "done" ? { ...about, output } : { ...about, error: wellFormed(reason) };
      events.push({ kind: state === "done" ? "onNodeComplete" : "onValidationFail", node, output: happened });
      const elapsedMs = elapsedOf(step, toolCallId);
      // Without the elapsed time, the engine asks a human if a guardrail has this trigger.
      events.push({ kind: "onTimeout", node, output: happened, ...(elapsedMs === undefined ? {} : { elapsedMs }) });
    }
    const count = (state: string) => calls.filter((call) => call.state === state).length;
    const counted = {
      steps: steps.length,
      calls: calls.length,
      failed: count("failed"),
      denied: count("denied"),
      ...tokensOf(step),
    };
    events.push({ kind: "onMetricBelow", metrics: { ...counted, ...this.#settings.metrics?.(steps) } });
    return events;
  }
}

/** Yields the steps of both lists. The caller's list is read one step at a time, because its length may be false. */
function* joined(earlier: readonly Step[], steps: readonly Step[]): Generator<Step> {
  yield* earlier;
  yield* itemsOf(steps, "steps") as Iterable<Step>;
}

function last(verdicts: readonly StepVerdict[]): StepVerdict {
  return verdicts.at(-1) ?? fault(new TypeError("expected a list with at least one step"));
}

function ofEvaluation(evaluation: Evaluation): StepJudgment {
  const { status, next_step } = evaluation.decision;
  if (status === "success" && next_step === "continue") return CONTINUE;
  const reason = evaluationText(evaluation);
  if (status === "partial" && next_step === "fix") return { action: "feedback", by: "policy", asks: false, reason };
  return { action: "stop", by: "policy", asks: status === "needs_human", reason };
}

function ofGuardrail(fired: GuardrailAction): StepJudgment {
  const by = "guardrail";
  switch (fired.action.type) {
    case "emit":
      return CONTINUE;
    case "retry":
    case "replan":
      return { action: "feedback", by, asks: false, reason: actionText(fired) };
    default:
      return { action: "stop", by, asks: fired.action.type !== "fail", reason: actionText(fired) };
  }
}

function fault(error: unknown): StepVerdict {
  const reason = `the gate could not judge this step: ${wellFormed(reasonOf(error))}`;
  return { about: "step", action: "stop", by: "fault", asks: false, status: null, reason, actions: [], evaluation: null, error };
}

/** Returns the context of the run, under the name of version 7 of the SDK, or of versions 5 and 6. */
function contextOf(step: Step): unknown {
  const { runtimeContext, experimental_context } = own(step as Step & { experimental_context?: unknown });
  return runtimeContext ?? experimental_context;
}

/** Returns the duration of a call, as AI SDK 7 measures it. */
function elapsedOf(step: Step, toolCallId: string): number | undefined {
  const { toolExecutionMs } = own(own(step).performance as { toolExecutionMs?: Readonly<Record<string, unknown>> });
  const elapsed = own(toolExecutionMs)[toolCallId];
  return typeof elapsed === "number" && elapsed >= 0 ? elapsed : undefined;
}

function tokensOf(step: Step): Record<string, number> {
  const counted = own(own(step).usage as Readonly<Record<string, unknown>>);
  const names = ["inputTokens", "outputTokens", "totalTokens"];
  return Object.fromEntries(names.flatMap((name) => (typeof counted[name] === "number" ? [[name, counted[name]]] : [])));
}

/**
 * Judging a finished step in the light of those before it.
 *
 * A run is a fold over its steps, so nothing has to be kept between the SDK's questions; what was found of a step is
 * remembered for as long as the step itself.
 */
import type { Evaluation, Evidence, GuardrailAction, GuardrailEvent, HistoryEntry, RefinementCount } from "../generated/types.js";
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { own } from "../own.js";
import { copyOf } from "../strict.js";
import type { Judging } from "./judging.js";
import { envelopeOf, evidenceOfChanges, evidenceOfStep, isReviewed } from "./envelope.js";
import type { StepVerdict } from "./gate.js";
import { nodeOf, type Settings } from "./options.js";
import { outcomesOf, type Outcomes } from "./outcomes.js";
import type { Step } from "./sdk.js";
import { stricterBy } from "./strictest.js";
import { saidBy, toldBy, wellFormed } from "./words.js";

/** What a step leaves to the next. */
export interface Loop {
  readonly history: readonly HistoryEntry[];
  readonly refinement: RefinementCount | undefined;
  /** How often each guardrail has had something done again. */
  readonly retries: ReadonlyMap<string, number>;
}

interface Judged {
  readonly verdict: StepVerdict;
  readonly loop: Loop;
}

type Said = Pick<StepVerdict, "action" | "by" | "asks" | "reason">;

const stricter = stricterBy<Said>(["continue", "feedback", "stop"]);
const START: Loop = { history: [], refinement: undefined, retries: new Map() };
const GOES_ON: Said = { action: "continue", by: "policy", asks: false, reason: "" };

/** Judges the steps of runs. */
export class Steps {
  readonly #judging: Judging;
  readonly #settings: Settings;
  /** What was found of a step, and behind which. */
  readonly #judged = new WeakMap<Step, { after: Loop; judged: Promise<Judged> }>();

  constructor(judging: Judging, settings: Settings) {
    this.#judging = judging;
    this.#settings = settings;
  }

  /** The verdict on the last step. What fails stops the run, and keeps it stopped. */
  async verdict(steps: readonly Step[]): Promise<StepVerdict> {
    let last: StepVerdict | undefined;
    try {
      let loop = START;
      const passed: Step[] = [];
      for (const step of itemsOf(steps, "steps")) {
        passed.push(step as Step);
        const { verdict, loop: next } = await this.#once(step as Step, [...passed], loop);
        if (verdict.by === "fault") return verdict;
        [last, loop] = [verdict, next];
      }
    } catch (error) {
      return fault(error);
    }
    return last ?? fault(new TypeError("there is no step"));
  }

  #once(step: Step, steps: readonly Step[], after: Loop): Promise<Judged> {
    const known = this.#judged.get(step);
    if (known?.after === after) return known.judged;
    const judged = this.#judge(step, steps, after).catch((error: unknown) => ({ verdict: fault(error), loop: after }));
    this.#judged.set(step, { after, judged });
    return judged;
  }

  async #judge(step: Step, steps: readonly Step[], loop: Loop): Promise<Judged> {
    const outcomes = outcomesOf(step);
    const { stepPolicy, stepWorkspace, runId, tools } = this.#settings;
    const found = evidenceOfStep(own(step).finishReason, outcomes, tools);
    const given = this.#settings.evidence === undefined ? found : this.#settings.evidence(found, step);
    // Read once: the same is judged, and written into the history.
    const evidence = structuredClone(copyOf(given, "evidence: ")) as Evidence;
    const envelope = envelopeOf(runId, `step-${steps.length}`, evidence, loop);
    let evaluation = await this.#judging.evaluate(envelope, stepPolicy);
    const { history_entry, refinement } = await this.#judging.refine(envelope, evaluation, stepPolicy);
    const { actions, retries } = await this.#guardrails(step, steps, outcomes, loop);
    if (stepWorkspace !== undefined) {
      const changes = envelopeOf(runId, envelope.step_id, evidenceOfChanges(evidence));
      const ofChanges = await this.#judging.evaluate(changes, stepWorkspace);
      if (stricter(ofEvaluation(evaluation), ofEvaluation(ofChanges)).action !== ofEvaluation(evaluation).action) evaluation = ofChanges;
    }
    const said = actions.map(ofGuardrail).reduce(stricter, ofEvaluation(evaluation));
    const answers = structuredClone({ actions, evaluation });
    return {
      verdict: { about: "step", ...said, status: evaluation.decision.status, ...answers },
      loop: { history: [...loop.history, { ...history_entry, reviewed: isReviewed(evidence) }], refinement, retries },
    };
  }

  /** What the guardrails make of all that happened in a step. */
  async #guardrails(
    step: Step,
    steps: readonly Step[],
    outcomes: Outcomes,
    loop: Loop,
  ): Promise<{ actions: GuardrailAction[]; retries: Loop["retries"] }> {
    const actions: GuardrailAction[] = [];
    const retries = new Map(loop.retries);
    for (const event of this.#events(step, steps, outcomes)) {
      for (const fired of await this.#judging.guardrails(event, { retries: Object.fromEntries(retries) })) {
        if (fired.action.type === "retry") retries.set(fired.policyId, (retries.get(fired.policyId) ?? 0) + 1);
        actions.push(fired);
      }
    }
    return { actions, retries };
  }

  #events(step: Step, steps: readonly Step[], { calls }: Outcomes): GuardrailEvent[] {
    if (this.#settings.guardrails.length === 0) return [];
    const events: GuardrailEvent[] = [];
    for (const { toolName, toolCallId, input, state, output, reason } of calls) {
      if (state !== "done" && state !== "failed") continue;
      const node = nodeOf(toolName, this.#settings.tools.get(toolName));
      const about = { tool: toolName, input };
      const happened = state === "done" ? { ...about, output } : { ...about, error: wellFormed(reason) };
      events.push({ kind: state === "done" ? "onNodeComplete" : "onValidationFail", node, output: happened });
      const elapsedMs = elapsedOf(step, toolCallId);
      // Without a time the engine asks a person, where a guardrail waits for one.
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

function ofEvaluation(evaluation: Evaluation): Said {
  const { status, next_step } = evaluation.decision;
  if (status === "success" && next_step === "continue") return GOES_ON;
  const reason = toldBy(evaluation);
  if (status === "partial" && next_step === "fix") return { action: "feedback", by: "policy", asks: false, reason };
  return { action: "stop", by: "policy", asks: status === "needs_human", reason };
}

function ofGuardrail(fired: GuardrailAction): Said {
  const by = "guardrail";
  switch (fired.action.type) {
    case "emit":
      return GOES_ON;
    case "retry":
    case "replan":
      return { action: "feedback", by, asks: false, reason: saidBy(fired) };
    default:
      return { action: "stop", by, asks: fired.action.type !== "fail", reason: saidBy(fired) };
  }
}

function fault(error: unknown): StepVerdict {
  const reason = `how this step went could not be decided: ${wellFormed(reasonOf(error))}`;
  return { about: "step", action: "stop", by: "fault", asks: false, status: null, reason, actions: [], evaluation: null, error };
}

/** How long a call took, as AI SDK 7 measures it. */
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

/**
 * Asking whoever judges, and believing nothing that is not of the known form: a status, a step or an action that there is not
 * is an error, and what becomes of errors is the gate's to say.
 */
import { AdjudicateError, reasonOf } from "../error.js";
import type {
  Actions,
  Envelope,
  Evaluation,
  GuardrailAction,
  GuardrailEvent,
  Revision,
  RunState,
  Status,
} from "../generated/types.js";
import { own } from "../own.js";
import { copyOf } from "../strict.js";
import { isPlain, kindOf } from "../usage.js";
import { NEXT_STEPS } from "./envelope.js";
import type { GateOptions, Judge } from "./gate.js";
import { isParsed, type Settings } from "./options.js";

const STATUSES: readonly Status[] = ["success", "partial", "blocked", "needs_human", "unsafe"];
const TYPES: readonly GuardrailAction["action"]["type"][] = ["retry", "pause", "hitl", "replan", "fail", "emit"];

/** What is asked about an envelope: a policy, or whatever the judge has without one. */
type GivenPolicy = GateOptions["callPolicy"];

/** Asks. */
export class Judging {
  readonly #judge: Judge;
  readonly #settings: Settings;

  constructor(judge: Judge, settings: Settings) {
    this.#judge = judge;
    this.#settings = settings;
  }

  /** What the guardrails make of an event. Nothing is asked where none waits for such events. */
  async guardrails(event: GuardrailEvent, state?: RunState): Promise<readonly GuardrailAction[]> {
    const { guardrails } = this.#settings;
    if (!guardrails.some(({ trigger }) => trigger.kind === event.kind)) return [];
    const call = state === undefined ? { policies: guardrails, event } : { policies: guardrails, event, state };
    return actionsIn(await this.#judge.applyGuardrails(call));
  }

  /** Has the guardrails read, whatever they wait for. */
  async tryGuardrails(): Promise<void> {
    actionsIn(await this.#judge.applyGuardrails({ policies: this.#settings.guardrails, event: { kind: "onStart" } }));
  }

  async evaluate(envelope: Envelope, policy: GivenPolicy): Promise<Evaluation> {
    const answer = isParsed(policy)
      ? await policy.evaluate(envelope)
      : await (policy ? this.#judge.evaluate(envelope, { policy }) : this.#judge.evaluate(envelope));
    return evaluationIn(answer);
  }

  async refine(envelope: Envelope, evaluation: Evaluation, policy: GivenPolicy): Promise<Revision["next"]> {
    const answer: unknown = isParsed(policy)
      ? await policy.refine(envelope, { evaluation })
      : await this.#judge.refine(envelope, policy ? { policy, evaluation } : { evaluation });
    const { next } = own(dataOf<Revision>(answer));
    if (!isPlain(next) || !isPlain(next.history_entry) || !isPlain(next.refinement)) throw unknown("no state of the loop");
    return next;
  }
}

function actionsIn(answer: unknown): readonly GuardrailAction[] {
  const { actions } = own(dataOf<Actions>(answer));
  if (!Array.isArray(actions)) throw unknown(`${kindOf(actions)} in the place of actions`);
  for (const item of actions as readonly (Partial<GuardrailAction> | null)[]) {
    const { type } = own(item?.action);
    if (type === undefined || !TYPES.includes(type)) throw unknown(`the action \`${String(type)}\``);
    if (typeof item?.policyId !== "string") throw unknown("an action of nobody's");
  }
  return actions as readonly GuardrailAction[];
}

function evaluationIn(answer: unknown): Evaluation {
  const data = dataOf<Evaluation>(answer);
  const { decision, findings } = own(data);
  const { status, next_step, fix_instructions } = own(decision);
  if (status === undefined || !STATUSES.includes(status)) throw unknown(`the status \`${String(status)}\``);
  const isLegal = next_step === null || NEXT_STEPS.some((step) => step === next_step);
  if (!isLegal) throw unknown(`the step \`${String(next_step)}\``);
  if (fix_instructions !== null && !isPlain(fix_instructions))
    throw unknown(`${kindOf(fix_instructions)} in the place of instructions`);
  if (!Array.isArray(findings)) throw unknown(`${kindOf(findings)} in the place of findings`);
  return data;
}

/** An answer as plain data, for it is read more than once. */
function dataOf<Answer>(answer: unknown): Answer {
  try {
    return copyOf(answer ?? null, "") as Answer;
  } catch (thrown) {
    throw unknown(`what has no JSON form: ${reasonOf(thrown)}`);
  }
}

function unknown(what: string): AdjudicateError {
  return new AdjudicateError("module_invalid_decision", `whoever judges answered ${what}`);
}

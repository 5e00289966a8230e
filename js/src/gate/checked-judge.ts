/**
 * Calls the judge of a gate and checks its answers. An unknown status, step or action is an error, which the gate treats as a denial.
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
} from "../generated/types.js";
import { own } from "../own.js";
import { copyOf } from "../strict.js";
import { isPlain, kindOf } from "../usage.js";
import { ACTION_TYPES, STATUSES } from "../words.js";
import { NEXT_STEPS } from "./envelope.js";
import type { GateOptions, Judge } from "./types.js";
import { isParsed, type GateSettings } from "./options.js";

/** The policy for an envelope. Without one, the judge uses its own. */
type GivenPolicy = GateOptions["callPolicy"];

/** A judge whose answers are checked. */
export class CheckedJudge {
  readonly #judge: Judge;
  readonly #settings: GateSettings;

  constructor(judge: Judge, settings: GateSettings) {
    this.#judge = judge;
    this.#settings = settings;
  }

  /** Returns the actions of the guardrails for an event. Without a guardrail for this trigger, the judge is not called. */
  async guardrails(event: GuardrailEvent, state?: RunState): Promise<readonly GuardrailAction[]> {
    const { guardrails } = this.#settings;
    if (!guardrails.some(({ trigger }) => trigger.kind === event.kind)) return [];
    const call = state === undefined ? { policies: guardrails, event } : { policies: guardrails, event, state };
    return actionsIn(await this.#judge.applyGuardrails(call));
  }

  /** Calls the judge once, so that it parses all guardrails. */
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
    if (!isPlain(next) || !isPlain(next.history_entry) || !isPlain(next.refinement)) throw invalid("expected the state of the loop in `next`");
    return next;
  }
}

function actionsIn(answer: unknown): readonly GuardrailAction[] {
  const { actions } = own(dataOf<Actions>(answer));
  if (!Array.isArray(actions)) throw invalid(`expected a list of actions, found ${kindOf(actions)}`);
  for (const item of actions as readonly (Partial<GuardrailAction> | null)[]) {
    const { type } = own(item?.action);
    if (type === undefined || !ACTION_TYPES.includes(type)) throw invalid(`unknown action \`${String(type)}\``);
    if (typeof item?.policyId !== "string") throw invalid("an action has no `policyId`");
  }
  return actions as readonly GuardrailAction[];
}

function evaluationIn(answer: unknown): Evaluation {
  const data = dataOf<Evaluation>(answer);
  const { decision, findings } = own(data);
  const { status, next_step, fix_instructions } = own(decision);
  if (status === undefined || !STATUSES.includes(status)) throw invalid(`unknown status \`${String(status)}\``);
  const isLegal = next_step === null || NEXT_STEPS.some((step) => step === next_step);
  if (!isLegal) throw invalid(`unknown step \`${String(next_step)}\``);
  if (fix_instructions !== null && !isPlain(fix_instructions))
    throw invalid(`expected fix instructions, found ${kindOf(fix_instructions)}`);
  if (!Array.isArray(findings)) throw invalid(`expected a list of findings, found ${kindOf(findings)}`);
  return data;
}

/** Returns a copy of an answer as plain data, because the gate reads it more than once. */
function dataOf<Answer>(answer: unknown): Answer {
  try {
    return copyOf(answer ?? null, "") as Answer;
  } catch (thrown) {
    throw invalid(`no JSON form: ${reasonOf(thrown)}`);
  }
}

function invalid(message: string): AdjudicateError {
  return new AdjudicateError("module_invalid_decision", `the answer of the judge is invalid: ${message}`);
}

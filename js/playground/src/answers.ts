/** The engine's answers on the page. The engine runs in a worker; each answer is parsed here. */
import type { Evaluation, Explanation, KnownFacts, PlanAnswer } from "adjudicate/slim";

import type { Fault } from "./editor/json-text.js";
import type { Documents, Judge, Judgement, JudgeMethod, PolicyCheck, Recomputed } from "./judge.js";

/** The outcome of an envelope: a decision or an error. */
export type Outcome = DecidedOutcome | FailedOutcome;

/** A decision. */
export interface DecidedOutcome {
  readonly evaluation: Evaluation;
  readonly explanation: Explanation;
  /** The answer of `evaluate`, byte for byte. */
  readonly answer: string;
  /** The time of `evaluate`. */
  readonly milliseconds: number;
  readonly fault?: never;
}

/** An error instead of a decision. */
export interface FailedOutcome {
  readonly fault: Fault;
  /** The document with the error. */
  readonly document: "envelope" | "policy";
}

/** The outcome of an envelope, and the check of its policy. */
export interface Decided {
  readonly outcome: Outcome;
  readonly check: PolicyCheck;
  /** The name of the policy, if it is valid. */
  readonly policyName: string | undefined;
}

/** The answer about a plan, or an error. */
export type PlanOutcome = { readonly answer: PlanAnswer; readonly text: string; readonly fault?: never } | { readonly fault: Fault };

/** Calls a method of {@link Judge} by its name. */
export type CallJudge = <Name extends JudgeMethod>(
  name: Name,
  argument: Parameters<Judge[Name]>[0],
) => Promise<Awaited<ReturnType<Judge[Name]>>>;

export class Answers {
  readonly #call: CallJudge;

  constructor(call: CallJudge) {
    this.#call = call;
  }

  async decide(documents: Documents): Promise<Decided> {
    const judged = await this.#call("decide", documents);
    const { check, policyName } = judged;
    return { outcome: outcomeOf(judged), check, policyName };
  }

  /** Checks a policy, and runs its tests. */
  check(policy: string): Promise<PolicyCheck> {
    return this.#call("check", policy);
  }

  /** Returns the facts of an envelope, or an error. */
  async facts(documents: Documents): Promise<KnownFacts | Fault> {
    const answered = await this.#call("facts", documents);
    return answered.fault ?? (JSON.parse(answered.answer) as KnownFacts);
  }

  /** Decides a verdict again. */
  verdict(text: string): Promise<Recomputed> {
    return this.#call("verdict", text);
  }

  async plan(call: string): Promise<PlanOutcome> {
    const answered = await this.#call("plan", call);
    return answered.fault === undefined ? { answer: JSON.parse(answered.answer) as PlanAnswer, text: answered.answer } : answered;
  }
}

function outcomeOf({ evaluation, explanation, faulty, milliseconds }: Judgement): Outcome {
  if (evaluation.fault !== undefined) return { fault: evaluation.fault, document: faulty };
  const { answer } = evaluation;
  return {
    evaluation: JSON.parse(answer) as Evaluation,
    explanation: JSON.parse(explanation) as Explanation,
    answer,
    milliseconds,
  };
}

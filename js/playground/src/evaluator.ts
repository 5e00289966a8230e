/**
 * Evaluates the texts of documents. The engine gets the texts unchanged: `1.0` stays `1.0`, and the engine reports duplicate fields.
 */
import type { CheckAnswer, CheckFinding, Engine, Evaluation, Explanation, Policy } from "adjudicate/slim";

import type { Fault } from "./editor/range.js";
import { faultOf } from "./fault.js";
import { measureDecision } from "./timings.js";

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

/** The result of `check_policy`: findings or an error. */
export type PolicyCheck = { readonly findings: readonly CheckFinding[]; readonly fault?: never } | { readonly fault: Fault };

/** Evaluates envelopes under one policy at a time, which is parsed once. */
export class Evaluator {
  readonly #engine: Engine;
  #text = "";
  #policy: Policy | undefined;
  #fault: Fault | undefined;
  #checked: PolicyCheck = { findings: [] };

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Sets the policy. A text of white space means none. */
  setPolicy(text: string): void {
    if (text === this.#text) return;
    this.#policy?.free();
    this.#policy = undefined;
    this.#fault = undefined;
    this.#checked = { findings: [] };
    this.#text = text;
    if (text.trim() === "") return;
    try {
      this.#policy = this.#engine.policyText(text);
    } catch (thrown) {
      this.#fault = faultOf(thrown);
      this.#checked = { fault: this.#fault };
      return;
    }
    this.#checked = this.#check(this.#policy);
  }

  get policyCheck(): PolicyCheck {
    return this.#checked;
  }

  /** The name of the policy, if it is valid. */
  get name(): string | undefined {
    return this.#policy?.name;
  }

  evaluate(envelope: string): Outcome {
    if (this.#fault !== undefined) return { fault: this.#fault, document: "policy" };
    const judged: Pick<Policy, "evaluateText" | "explainText"> = this.#policy ?? this.#engine;
    try {
      const start = performance.now();
      const answer = judged.evaluateText(envelope);
      const end = performance.now();
      measureDecision(start, end);
      const explanation = JSON.parse(judged.explainText(envelope)) as Explanation;
      return { evaluation: JSON.parse(answer) as Evaluation, explanation, answer, milliseconds: end - start };
    } catch (thrown) {
      return { fault: faultOf(thrown), document: "envelope" };
    }
  }

  #check(policy: Policy): PolicyCheck {
    try {
      return { findings: (JSON.parse(policy.checkText()) as CheckAnswer).findings };
    } catch (thrown) {
      return { fault: faultOf(thrown) };
    }
  }
}

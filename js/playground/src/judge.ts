/**
 * From the texts of documents to what the engine says about them. Texts go in as they are: `1.0` stays `1.0`, and what is there
 * twice is refused by the engine, not lost on the way.
 */
import type { CheckAnswer, CheckFinding, Engine, Evaluation, Explanation, Policy } from "adjudicate/slim";

import type { Fault } from "./editor/place.js";
import { faultOf } from "./fault.js";
import { measureDecision } from "./timings.js";

/** What became of an envelope. */
export type Outcome = Decided | Refused;

/** There is a decision. */
export interface Decided {
  readonly evaluation: Evaluation;
  readonly explanation: Explanation;
  /** The answer of `evaluate`, byte for byte. */
  readonly answer: string;
  /** How long `evaluate` took. */
  readonly milliseconds: number;
  readonly fault?: never;
}

/** There is none. */
export interface Refused {
  readonly fault: Fault;
  /** Which of the documents is at fault. */
  readonly document: "envelope" | "policy";
}

/** What is wrong with a policy before any envelope comes. */
export type Checked = { readonly findings: readonly CheckFinding[]; readonly fault?: never } | { readonly fault: Fault };

/** Judges envelopes under one policy at a time, which is parsed once. */
export class Judge {
  readonly #engine: Engine;
  #text = "";
  #policy: Policy | undefined;
  #fault: Fault | undefined;
  #checked: Checked = { findings: [] };

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Takes another policy; white space alone is none. */
  take(text: string): void {
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

  get checked(): Checked {
    return this.#checked;
  }

  /** The name of the policy, if there is one that can be read. */
  get name(): string | undefined {
    return this.#policy?.name;
  }

  judge(envelope: string): Outcome {
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

  #check(policy: Policy): Checked {
    try {
      return { findings: (JSON.parse(policy.checkText()) as CheckAnswer).findings };
    } catch (thrown) {
      return { fault: faultOf(thrown) };
    }
  }
}

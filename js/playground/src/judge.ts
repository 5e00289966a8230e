/**
 * Answers about the texts of documents. The engine gets the texts unchanged: `1.0` stays `1.0`, and the engine reports duplicate fields.
 *
 * It runs in a worker, so that the page stays responsive.
 */
import type { CheckAnswer, CheckFinding, Engine, Policy, Verdict, VerdictDigests } from "adjudicate/slim";
import { makeVerdict, openVerdict, verifyVerdict, type VerdictParts, type VerdictReport } from "adjudicate/verdict";

import type { Fault } from "./editor/json-text.js";
import { faultOf } from "./fault.js";

/** The texts of an envelope and its policy. A policy of white space means none. */
export interface Documents {
  readonly envelope: string;
  readonly policy: string;
}

/** An answer as the engine writes it, or an error. */
export type Answered = { readonly answer: string; readonly fault?: never } | { readonly fault: Fault };

/** The answers about an envelope. */
export interface Judgement {
  readonly check: PolicyCheck;
  /** The name of the policy, if it is valid. */
  readonly policyName: string | undefined;
  readonly evaluation: Answered;
  /** The answer of `explain`. Empty without an evaluation. */
  readonly explanation: string;
  /** The document with the error, if there is one. */
  readonly faulty: "envelope" | "policy";
  /** The time of `evaluate`. */
  readonly milliseconds: number;
}

/** The result of `check_policy`: findings or an error. */
export type PolicyCheck = { readonly findings: readonly CheckFinding[]; readonly fault?: never } | { readonly fault: Fault };

/** A verdict that was decided again, or an error. */
export type Recomputed =
  | {
      readonly parts: VerdictParts;
      readonly report: VerdictReport;
      /** The digests of the input, the policy and the answer here. Undefined without an answer. */
      readonly digests: VerdictDigests | undefined;
      readonly fault?: never;
    }
  | { readonly fault: Fault };

/** The methods of {@link Judge}. */
export type JudgeMethod = "check" | "decide" | "facts" | "plan" | "verdict";

/** The number of policies that stay parsed: the policy, the other version, and the policy before the last edit. */
const PARSED_POLICIES = 3;

/** A parsed policy. Both fields are absent for a text of white space. */
interface ParsedPolicy {
  readonly policy?: Policy;
  readonly check: PolicyCheck;
}

export class Judge {
  readonly #engine: Engine;
  /** The parsed policies by their texts, the latest last. */
  readonly #parsed = new Map<string, ParsedPolicy>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Evaluates and explains an envelope, and checks its policy. */
  decide({ envelope, policy: text }: Documents): Judgement {
    const { policy, check } = this.#policy(text);
    const common = { check, policyName: policy?.name, explanation: "", milliseconds: 0 };
    if (check.fault !== undefined) return { ...common, evaluation: { fault: check.fault }, faulty: "policy" };
    const judged = policy ?? this.#engine;
    try {
      const start = performance.now();
      const answer = judged.evaluateText(envelope);
      const milliseconds = performance.now() - start;
      return { ...common, evaluation: { answer }, explanation: judged.explainText(envelope), faulty: "envelope", milliseconds };
    } catch (thrown) {
      return { ...common, evaluation: { fault: faultOf(thrown) }, faulty: "envelope" };
    }
  }

  /** Checks a policy, and runs its tests. */
  check(policy: string): PolicyCheck {
    return this.#policy(policy).check;
  }

  /** Returns the facts of an envelope. */
  facts({ envelope, policy: text }: Documents): Answered {
    const { policy, check } = this.#policy(text);
    if (check.fault !== undefined) return { fault: check.fault };
    return answered(() => (policy ?? this.#engine).factsText(envelope));
  }

  /** Validates a plan. */
  plan(call: string): Answered {
    return answered(() => this.#engine.validatePlanText(call));
  }

  /** Decides a verdict again. */
  async verdict(text: string): Promise<Recomputed> {
    try {
      const parts = openVerdict(this.#engine, text);
      const report = await verifyVerdict(this.#engine, text);
      const isDecided = report.outcome !== "cannot_be_decided_here" && report.error === undefined;
      return { parts, report, digests: isDecided ? await this.#digests(parts) : undefined };
    } catch (thrown) {
      return { fault: faultOf(thrown) };
    }
  }

  async #digests({ operation, input, policy }: VerdictParts): Promise<VerdictDigests> {
    const made = await makeVerdict(this.#engine, operation, input, { policy });
    return (JSON.parse(made) as Verdict).digests;
  }

  #policy(text: string): ParsedPolicy {
    const known = this.#parsed.get(text) ?? this.#parse(text);
    this.#parsed.delete(text);
    this.#parsed.set(text, known);
    for (const [oldest, { policy }] of this.#parsed) {
      if (this.#parsed.size <= PARSED_POLICIES) break;
      this.#parsed.delete(oldest);
      policy?.free();
    }
    return known;
  }

  #parse(text: string): ParsedPolicy {
    if (text.trim() === "") return { check: { findings: [] } };
    let policy: Policy | undefined;
    try {
      policy = this.#engine.policyText(text);
      return { policy, check: { findings: (JSON.parse(policy.checkText()) as CheckAnswer).findings } };
    } catch (thrown) {
      policy?.free();
      return { check: { fault: faultOf(thrown) } };
    }
  }
}

function answered(call: () => string): Answered {
  try {
    return { answer: call() };
  } catch (thrown) {
    return { fault: faultOf(thrown) };
  }
}

import type { Change, Json } from "./json.js";

/** An example: an envelope, its policy, and another version of that policy. */
export interface DecisionExample {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly about: string;
  readonly envelope: Json;
  /** The policy; null for none. */
  readonly policy: Json;
  readonly other: readonly Change[];
}

/** An example: a call of `validate_plan`. */
export interface PlanExample {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly about: string;
  readonly plan: Json;
}

export interface Examples {
  readonly decisions: readonly DecisionExample[];
  readonly plans: readonly PlanExample[];
}

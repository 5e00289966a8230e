import type { Change, Json } from "./json.js";

/** A situation to begin with: an envelope, the policy that it is judged by, and what another version of that policy changes. */
export interface DecisionExample {
  readonly id: string;
  readonly title: string;
  readonly envelope: Json;
  /** Null where there is none. */
  readonly policy: Json;
  readonly other: readonly Change[];
}

/** A plan with all that it is judged by. */
export interface PlanExample {
  readonly id: string;
  readonly title: string;
  readonly plan: Json;
}

export interface Examples {
  readonly decisions: readonly DecisionExample[];
  readonly plans: readonly PlanExample[];
}

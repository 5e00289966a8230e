/** Words of the engine that the package compares at run time. `cargo xtask generate` writes this file. */
import type { Action, OperationName, Outside, PathCase, Status } from "./generated/types.js";

/** The operations that take an envelope without a call around it. */
export const BARE_OPERATIONS: readonly OperationName[] = ["evaluate", "explain", "facts"];

/** The words of `Action["type"]`. */
export const ACTION_TYPES: readonly Action["type"][] = ["retry", "pause", "hitl", "replan", "fail", "emit"];

/** The words of `Outside`. */
export const OUTSIDE: readonly Outside[] = ["ask", "refuse", "allow"];

/** The words of `PathCase`. */
export const PATH_CASES: readonly PathCase[] = ["sensitive", "ascii_insensitive"];

/** The words of `Status`. */
export const STATUSES: readonly Status[] = ["success", "partial", "blocked", "needs_human", "unsafe"];

/** The documents of calls that are arguments of their own. */
export const DOCUMENTS = ["envelope", "policy", "evaluation"] as const;

/** The options of calls that are true or false. */
export const FLAGS = ["trace"] as const;

/** The arguments of an operation. */
export interface OperationForm {
  readonly operation: OperationName;
  /** The first argument, and options. Without documents, the only argument is a call. */
  readonly documents: readonly (typeof DOCUMENTS)[number][];
  readonly flags: readonly (typeof FLAGS)[number][];
  /** The first argument, for error messages. */
  readonly expected: string;
}

/** The operations. */
export const OPERATIONS: readonly OperationForm[] = [
  { operation: "evaluate", documents: ["envelope", "policy"], flags: [], expected: "an envelope" },
  { operation: "refine", documents: ["envelope", "policy", "evaluation"], flags: [], expected: "an envelope" },
  { operation: "validate_plan", documents: [], flags: [], expected: "`{ task, plan, capabilities, facets, previous }`" },
  { operation: "merge_diagnostics", documents: [], flags: [], expected: "`{ diagnostics, weights }`" },
  { operation: "observe_output", documents: [], flags: [], expected: "`{ outputContract, output }`" },
  { operation: "apply_guardrails", documents: [], flags: [], expected: "`{ policies, event, state }`" },
  { operation: "normalize_plan", documents: [], flags: [], expected: "`{ format, plan, hash_mode }`" },
  { operation: "verify_replay", documents: [], flags: [], expected: "`{ plan, events, receipt, tests }`" },
  { operation: "deliberate", documents: [], flags: [], expected: "the ledger" },
  { operation: "check_policy", documents: ["policy"], flags: [], expected: "a policy document" },
  { operation: "explain", documents: ["envelope", "policy"], flags: ["trace"], expected: "an envelope" },
  { operation: "facts", documents: ["envelope", "policy"], flags: [], expected: "an envelope" },
];

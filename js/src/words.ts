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

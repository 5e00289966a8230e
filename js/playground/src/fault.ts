import { AdjudicateError } from "adjudicate/slim";

import type { Fault } from "./editor/json-text.js";

/** Returns the engine's error. Any other error is a fault of the page, and is thrown again. */
export function faultOf(thrown: unknown): Fault {
  if (!(thrown instanceof AdjudicateError)) throw thrown;
  const { code, message, path, others } = thrown;
  return { code, message, path, ...(others.length > 0 && { others }) };
}

import { AdjudicateError } from "adjudicate/slim";

import type { Fault } from "./editor/place.js";

/** What the engine says where there is no answer. Anything else that is thrown is a fault of the page. */
export function faultOf(thrown: unknown): Fault {
  if (!(thrown instanceof AdjudicateError)) throw thrown;
  const { code, message, path } = thrown;
  return { code, message, path };
}

/** Errors as HTTP responses: a status and `{"error": {"code", "message", "path"}}`. */
import { AdjudicateError } from "adjudicate";

export class Refusal extends Error {
  constructor(status, code, message, headers = {}, path = "") {
    super(message);
    Object.assign(this, { status, code, headers, path });
  }
}

/** The statuses of the engine's codes. All other codes have 422. */
const STATUSES = {
  duplicate_key: 400,
  limit_exceeded: 413,
  malformed_json: 400,
  trap: 500,
};

/** Returns the response for a thrown value. */
export function refusalOf(error) {
  if (error instanceof Refusal) return error;
  if (error instanceof AdjudicateError) {
    const { code, message, path } = error;
    return new Refusal(Object.hasOwn(STATUSES, code) ? STATUSES[code] : 422, code, message, {}, path);
  }
  // Disconnected clients are not logged. The cause of a fault stays in the log.
  if (error?.code !== "ECONNRESET") console.error(error);
  return new Refusal(500, "internal", "the service failed");
}

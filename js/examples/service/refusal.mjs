/** Why there is no answer, as HTTP has it: a status, and the one form of errors, `{"error": {"code", "message", "path"}}`. */
import { AdjudicateError } from "adjudicate";

export class Refusal extends Error {
  constructor(status, code, message, headers = {}, path = "") {
    super(message);
    Object.assign(this, { status, code, headers, path });
  }
}

/** The engine's codes that are not about what a document means, which is 422. */
const STATUSES = {
  duplicate_key: 400,
  limit_exceeded: 413,
  malformed_json: 400,
  trap: 500,
};

/** The refusal for whatever was thrown. */
export function refusalOf(error) {
  if (error instanceof Refusal) return error;
  if (error instanceof AdjudicateError) {
    const { code, message, path } = error;
    return new Refusal(Object.hasOwn(STATUSES, code) ? STATUSES[code] : 422, code, message, {}, path);
  }
  // Clients that leave are no news, and what is wrong with the service is nobody else's business.
  if (error?.code !== "ECONNRESET") console.error(error);
  return new Refusal(500, "internal", "the service failed");
}

/**
 * Answers a stream of lines: each line has an answer or an error, in order, while later lines arrive.
 *
 * Only the current line is kept in memory. If the client stops reading, nothing more is read from it. If the client
 * disconnects, no further line is decided.
 */
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";

import { AdjudicateError } from "adjudicate";

import { linesOf } from "./body.mjs";

/** The longest time without a pause for other requests, in milliseconds. */
const TURN_MS = 5;

export async function answerLines({ request, response, limits, answer }) {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  let turn = performance.now();
  for await (const line of linesOf(request, limits)) {
    if (gone.signal.aborted) return;
    if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
    const isRoom = response.write(`${answered(line, answer, limits)}\n`);
    if (!isRoom) await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
    if (performance.now() - turn > TURN_MS) {
      await setImmediate();
      turn = performance.now();
    }
  }
  if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.end();
}

/** Returns the answer to a line. */
function answered(line, answer, { bodyBytes }) {
  try {
    if (line === undefined) throw new AdjudicateError("limit_exceeded", `the line is over the limit of ${bodyBytes} bytes`);
    return answer(line);
  } catch (error) {
    if (error instanceof AdjudicateError) return JSON.stringify(error);
    throw error;
  }
}

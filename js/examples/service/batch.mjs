/**
 * Lines in, lines out: each line has its answer or its error, in order, while the next ones are still coming in.
 *
 * No more is kept than the line at hand: where the client does not read, nothing more is read from it, and where it has gone,
 * nothing more is decided for it.
 */
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";

import { AdjudicateError } from "adjudicate";

import { linesOf } from "./body.mjs";

/** For how long other requests wait, in milliseconds. */
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

/** The line that answers a line. */
function answered(line, answer, { bodyBytes }) {
  try {
    if (line === undefined) throw new AdjudicateError("limit_exceeded", `the line is over the limit of ${bodyBytes} bytes`);
    return answer(line);
  } catch (error) {
    if (error instanceof AdjudicateError) return JSON.stringify(error);
    throw error;
  }
}

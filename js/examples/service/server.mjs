/**
 * The process: settings from the environment, one listening socket, and an end that loses no answer.
 *
 * SIGTERM or SIGINT: nobody new is let in, what was begun is answered, for DRAIN_MS at most. A second signal ends it at once.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { env, exit } from "node:process";

import { createEngine } from "adjudicate";

import { LIMITS, createService } from "./service.mjs";

/** A whole number from the environment. A timer that is given more milliseconds than it has bits for does not wait at all. */
function number(name, usual, least = 1, most = 2 ** 31 - 1) {
  const given = env[name] ?? String(usual);
  const value = Number(given);
  if (/^[0-9]+$/.test(given) && value >= least && value <= most) return value;
  console.error(`${name} is a whole number from ${least} to ${most}, found ${JSON.stringify(given)}`);
  return exit(64);
}

// Wrong settings are found out now, and not when they are used.
const drainMs = number("DRAIN_MS", 10_000);
const engine = await createEngine();
const policy = env.POLICY === undefined ? undefined : engine.policyText(readFileSync(env.POLICY));
const service = createService(engine, policy, {
  bodyBytes: number("BODY_BYTES", LIMITS.bodyBytes),
  bodyMs: number("BODY_MS", LIMITS.bodyMs),
});

// Bodies have deadlines of their own: a stream of lines may last as long as it goes on.
const server = createServer({
  headersTimeout: number("HEADERS_MS", 10_000),
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
});
server.on("request", service.handle).on("checkContinue", service.handle);
// Nothing moves any more, in either direction.
server.setTimeout(number("IDLE_MS", 30_000));
server.maxConnections = number("CONNECTIONS", 256);
server.listen(number("PORT", 8080, 0, 65_535), env.HOST ?? "127.0.0.1", () => {
  const { address, port } = server.address();
  console.log(JSON.stringify({ listening: `http://${address}:${port}`, engine: engine.version, policy: policy?.name ?? null }));
});

let isEnding = false;
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.on(signal, () => {
    if (isEnding) exit(1);
    isEnding = true;
    service.drain();
    server.close(() => exit(0));
    // Connections that have nothing to say any more keep nobody.
    setInterval(() => server.closeIdleConnections(), 50).unref();
    setTimeout(() => exit(1), drainMs).unref();
  });
}

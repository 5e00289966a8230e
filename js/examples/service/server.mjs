/**
 * The process: it reads settings from the environment, listens on one socket, and loses no answer at its end.
 *
 * After SIGTERM or SIGINT, the server accepts no new connection, and answers open calls for at most DRAIN_MS. A second signal ends it at
 * once.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { env, exit } from "node:process";

import { createEngine } from "adjudicate";

import { LIMITS, createService } from "./service.mjs";

/** Reads a whole number from the environment. The limit is that of timers, which overflow beyond it. */
function number(name, usual, least = 1, most = 2 ** 31 - 1) {
  const given = env[name] ?? String(usual);
  const value = Number(given);
  if (/^[0-9]+$/.test(given) && value >= least && value <= most) return value;
  console.error(`${name} is a whole number from ${least} to ${most}, found ${JSON.stringify(given)}`);
  return exit(64);
}

// Wrong settings fail now, and not at their first use.
const drainMs = number("DRAIN_MS", 10_000);
const engine = await createEngine();
const policy = env.POLICY === undefined ? undefined : engine.policyText(readFileSync(env.POLICY));
const service = createService(engine, policy, {
  bodyBytes: number("BODY_BYTES", LIMITS.bodyBytes),
  bodyMs: number("BODY_MS", LIMITS.bodyMs),
});

// Bodies have their own deadlines, because a stream of lines may take any time.
const server = createServer({
  headersTimeout: number("HEADERS_MS", 10_000),
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
});
server.on("request", service.handle).on("checkContinue", service.handle);
// A connection without traffic in both directions is closed.
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
    // Idle connections do not delay the end.
    setInterval(() => server.closeIdleConnections(), 50).unref();
    setTimeout(() => exit(1), drainMs).unref();
  });
}

/**
 * The service: `POST /v1/{operation}` with one JSON document or with lines of them, and `GET /healthz`.
 *
 * This file has routing, limits and statuses. The engine decides, from JSON text to JSON text.
 */
import { answerLines } from "./batch.mjs";
import { readBody } from "./body.mjs";
import { Refusal, refusalOf } from "./refusal.mjs";

/** The default limits of a request. */
export const LIMITS = {
  /** The bytes of a document or a line. The engine's own limit is 8 MiB. */
  bodyBytes: 8 << 20,
  /** The milliseconds to receive a document or a line. */
  bodyMs: 10_000,
};

/** The time to read the rest of a rejected body, so that the client reads the error. */
const LINGER_MS = 1_000;

const TYPES = { "application/json": answerDocument, "application/x-ndjson": answerLines };

/** Returns `handle` for the requests of a server, and `drain` for its end. */
export function createService(engine, policy, limits) {
  const decided = { evaluate: "evaluateText", refine: "refineText", explain: "explainText", facts: "factsText" };
  /** With a parsed policy, the calls are envelopes. */
  const answer = (operation, text) => {
    const method = policy && Object.hasOwn(decided, operation) ? decided[operation] : undefined;
    return method === undefined ? engine.callText(operation, text) : policy[method](text);
  };
  let isDraining = false;

  async function handle(request, response) {
    response.on("error", () => undefined);
    try {
      const [pathname] = request.url.split("?", 1);
      if (pathname === "/healthz") return health(request, response, isDraining);
      const operation = operationIn(pathname, engine.operations);
      allow(request, "POST");
      if (isDraining) throw new Refusal(503, "draining", "the service is about to end", { "retry-after": "1" });
      const respond = typeOf(request);
      if (request.headers.expect !== undefined) response.writeContinue();
      await respond({ request, response, limits, answer: (text) => answer(operation, text) });
    } catch (error) {
      refuse(request, response, refusalOf(error));
    }
  }

  return { handle, drain: () => void (isDraining = true) };
}

/** Answers a call of one document. */
async function answerDocument({ request, response, limits, answer }) {
  const text = answer(await readBody(request, limits));
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
}

function health(request, response, isDraining) {
  allow(request, "GET");
  const body = `${JSON.stringify({ status: isDraining ? "draining" : "ok" })}\n`;
  response.writeHead(isDraining ? 503 : 200, { "content-type": "application/json" }).end(body);
}

function operationIn(pathname, operations) {
  const [, operation] = /^\/v1\/([a-z_]+)$/.exec(pathname) ?? [];
  if (operation !== undefined && operations.includes(operation)) return operation;
  throw new Refusal(404, "not_found", "there is `POST /v1/{operation}` and `GET /healthz`");
}

function allow({ method }, allowed) {
  if (method === allowed) return;
  throw new Refusal(405, "method_not_allowed", `use ${allowed}`, { allow: allowed });
}

/** Returns the function that answers a body of the request's content type. */
function typeOf({ headers }) {
  const [type] = (headers["content-type"] ?? "").split(";", 1);
  const respond = Object.hasOwn(TYPES, type.trim().toLowerCase()) ? TYPES[type.trim().toLowerCase()] : undefined;
  const isPlain = headers["content-encoding"] === undefined || headers["content-encoding"] === "identity";
  if (respond !== undefined && isPlain) return respond;
  throw new Refusal(415, "unsupported_media_type", `a body is ${Object.keys(TYPES).join(" or ")}, without an encoding`);
}

/** Sends an error. After the start of an answer, it closes the connection instead. */
function refuse(request, response, { status, headers, code, message, path }) {
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const body = `${JSON.stringify({ error: { code, message, path } })}\n`;
  response
    .writeHead(status, { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
  if (request.complete) return;
  const linger = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request
    .on("end", () => clearTimeout(linger))
    .on("error", () => undefined)
    .resume();
}

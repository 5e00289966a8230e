/** The example service as a process, and low-level clients. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { root } from "./installed.mjs";

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Starts the service with the package in `folder`. `exited` has its exit code and its standard error. */
export async function start(folder, settings = {}) {
  cpSync(join(root, "examples", "service"), join(folder, "service"), { recursive: true });
  const env = { ...process.env, PORT: "0", ...settings };
  const child = spawn(process.execPath, ["server.mjs"], { cwd: join(folder, "service"), env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const exited = once(child, "exit").then(([code]) => (running.delete(child), { code, errors }));
  const line = await Promise.race([once(createInterface(child.stdout), "line").then(([text]) => text), exited]);
  if (typeof line !== "string") return { exited };
  const { port } = new URL(JSON.parse(line).listening);
  return { child, port: Number(port), exited, announced: JSON.parse(line), stop: () => (child.kill("SIGTERM"), exited) };
}

/** Sends a request, and returns the whole response. */
export async function ask(port, path, { method = "POST", type = "application/json", body, headers = {} } = {}) {
  // For some methods, Node does not set the framing of the body.
  const length = body !== undefined && headers["transfer-encoding"] === undefined && { "content-length": Buffer.byteLength(body) };
  const sent = request({ port, path, method, headers: { ...(type && { "content-type": type }), ...length, ...headers } });
  const answered = once(sent, "response");
  sent.end(body);
  const [response] = await answered;
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
}

async function textOf(stream) {
  let text = "";
  for await (const piece of stream.setEncoding("utf8")) text += piece;
  return text;
}

/** An open request. `lines` are the lines of its answer, as they arrive. */
export function stream(port, path = "/v1/evaluate", headers = {}) {
  const sent = request({ port, path, method: "POST", headers: { "content-type": "application/x-ndjson", ...headers } });
  sent.on("error", () => undefined).flushHeaders();
  const answered = once(sent, "response").then(([response]) => response);
  answered.catch(() => undefined);
  const lines = answered.then((response) => {
    response.on("error", () => undefined);
    return createInterface(response)[Symbol.asyncIterator]();
  });
  lines.catch(() => undefined);
  return { sent, answered, next: async () => (await (await lines).next()).value };
}

/** A raw connection. `all` is the text that it received until it was closed. */
export function raw(port, text) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).write(text);
  const all = new Promise((resolve) => {
    let received = "";
    socket.setEncoding("utf8").on("data", (piece) => (received += piece));
    socket.on("close", () => resolve(received));
  });
  return { socket, all };
}

/** Waits until a condition is true. */
export async function until(holds, what) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`for a minute it was not so: ${what}`);
}

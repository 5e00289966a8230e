/** The example service as a process: deadlines, clients that do not read, and a small heap. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";

import { envelope } from "../support/envelope.mjs";
import { bothForms, install } from "../support/installed.mjs";
import { ask, raw, start, stream, until } from "../support/service.mjs";

const folder = install();
const engine = (await bothForms(folder)).import.main.createEngineSync();
const OK = JSON.stringify(envelope());
const ANSWER = engine.evaluateText(OK);
const NDJSON = "application/x-ndjson";

/** Waits until something is closed, and ignores its errors. */
const closed = (emitter) => new Promise((resolve) => (emitter.closed ? resolve() : emitter.on("close", resolve)));

test("a slow client is disconnected, in the headers, a document, a line or blank lines", async () => {
  const { port, stop } = await start(folder, { BODY_MS: "500", HEADERS_MS: "500" });
  const head = "POST /v1/evaluate HTTP/1.1\r\nhost: a\r\n";
  assert.match(await raw(port, head).all, /^HTTP\/1\.1 408 |^$/);
  for (const type of ["application/json", NDJSON]) {
    const { socket, all } = raw(port, `${head}content-type: ${type}\r\ncontent-length: 1000\r\n\r\n`);
    const dripping = setInterval(() => socket.write(" "), 50);
    assert.match(await all, /^HTTP\/1\.1 408 [^]*request_timeout/, type);
    clearInterval(dripping);
  }
  // Blank lines do not reset the deadline.
  const { socket, all } = raw(port, `${head}content-type: ${NDJSON}\r\ntransfer-encoding: chunked\r\n\r\n`);
  const dripping = setInterval(() => socket.write("2\r\n \n\r\n"), 50);
  assert.match(await all, /^HTTP\/1\.1 408 [^]*request_timeout/);
  clearInterval(dripping);
  // After the first answer, the stream is closed without its last chunk.
  const { sent, next, answered } = stream(port);
  sent.write(`${OK}\n{`);
  assert.equal(await next(), ANSWER);
  const response = await answered;
  await closed(response);
  assert.equal(response.complete, false);
  assert.deepEqual(await stop(), { code: 0, errors: "" });
});

test("a client that does not read is not read from, and delays no other client", async () => {
  const { port, stop } = await start(folder, { IDLE_MS: "5000" });
  const assertWell = async () => assert.equal((await ask(port, "/v1/evaluate", { body: OK })).text, ANSWER);
  const { sent, answered } = stream(port);
  const lines = `${OK}\n`.repeat(1000);
  let written = 0;
  const push = () => {
    while (written < 400 << 20 && sent.write(lines)) written += lines.length;
  };
  sent.on("drain", push);
  push();
  (await answered).pause();
  let before = -1;
  await until(async () => {
    await assertWell();
    const isStill = sent.socket.bytesWritten === before;
    before = sent.socket.bytesWritten;
    if (isStill) await new Promise((resolve) => setTimeout(resolve, 500));
    return isStill && sent.socket.bytesWritten === before;
  }, "nothing more is taken");
  assert.ok(before < 200 << 20, `${before}`);
  // The idle connection is closed in the end.
  await closed(sent);
  await assertWell();
  assert.deepEqual(await stop(), { code: 0, errors: "" });
});

test("a body in pieces of a byte takes no more room than in one", async () => {
  // A stored chunk of one byte takes some hundred bytes.
  const small = await start(folder, { NODE_OPTIONS: "--max-old-space-size=48", BODY_MS: "60000" });
  const bytes = [...Buffer.from(OK)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
  const spaces = "1\r\n \r\n".repeat(10_000);
  for (const [type, rounds, end, answer] of [["application/json", 100, "0\r\n\r\n", ANSWER], [NDJSON, 100, "1\r\n\n\r\n0\r\n\r\n", ANSWER]]) {
    const head = `POST /v1/evaluate HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: ${type}\r\n`;
    const { socket, all } = raw(small.port, `${head}transfer-encoding: chunked\r\n\r\n`);
    for (let round = 0; round < rounds && !socket.destroyed; round++) {
      if (!socket.write(spaces)) await Promise.race([once(socket, "drain"), closed(socket)]);
    }
    socket.write(`${bytes}${end}`);
    assert.ok((await all).includes(answer), type);
  }
  assert.deepEqual(await small.stop(), { code: 0, errors: "" });
});

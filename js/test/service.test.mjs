/** The example service as a process: its answers, and hostile clients. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install, root } from "./support/installed.mjs";
import { NUMBERS, operations } from "./support/operations.mjs";
import { ask, raw, start, stream, until } from "./support/service.mjs";

const folder = install();
const engine = (await bothForms(folder)).import.main.createEngineSync();
const text = JSON.stringify;
const OK = text(envelope());
const ANSWER = engine.evaluateText(OK);
const NDJSON = "application/x-ndjson";
const codeOf = (line) => JSON.parse(line).error?.code;

const service = await start(folder, { BODY_BYTES: `${1 << 20}`, BODY_MS: "60000", HEADERS_MS: "60000", IDLE_MS: "60000" });
const { port } = service;

/** Asserts that the service still decides. */
async function assertWell() {
  assert.equal((await ask(port, "/healthz", { method: "GET", type: null })).text, '{"status":"ok"}\n');
  assert.equal((await ask(port, "/v1/evaluate", { body: OK })).text, ANSWER);
  assert.equal(service.child.exitCode, null);
}

test("each operation answers the engine's bytes", async () => {
  for (const operation of Object.keys(NUMBERS)) {
    const body = text(operations[operation].example);
    const { status, headers, text: answer } = await ask(port, `/v1/${operation}`, { body });
    assert.deepEqual([status, headers["content-type"], answer], [200, "application/json", engine.callText(operation, body)]);
  }
});

test("the answers to the documents of the README are those in it", async () => {
  const file = (name) => readFileSync(join(root, "examples", "service", name), "utf8");
  const { port: other, stop } = await start(folder, { POLICY: "policy.json" });
  const one = await ask(other, "/v1/evaluate", { body: file("envelope.json") });
  const { text: answer } = await ask(other, "/v1/evaluate", { type: NDJSON, body: file("envelopes.ndjson") });
  await stop();
  const decided = answer.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(JSON.parse(one.text), decided[0]);
  const rows = file("README.md").matchAll(/^\| `(run-\d)` \| .* \| `(\w+)`, next step `(\w+)`(?:: `(\w+)`)? \|$/gm);
  const printed = [...rows].map(([, , status, step, rule]) => [status, step, rule]);
  assert.deepEqual(decided.map(({ decision, findings }, at) => [decision.status, decision.next_step, printed[at]?.[2] && findings[0]?.rule]), printed);
  assert.equal(printed.length, 3);
});

test("a stream has a line for a line, whatever is in it", async () => {
  const lines = [OK, text(FAILING), "{", "null", "", " \t", "[".repeat(500), "{}", OK];
  const body = [...lines, `"${"a".repeat(2 << 20)}"`, OK].join("\r\n");
  const { status, headers, text: answer } = await ask(port, "/v1/evaluate", { type: NDJSON, body });
  assert.deepEqual([status, headers["content-type"]], [200, NDJSON]);
  const answers = answer.trimEnd().split("\n");
  assert.deepEqual(answers.slice(0, -2), engine.evaluateBatchText(lines.join("\r\n")).trimEnd().split("\n"));
  assert.deepEqual([codeOf(answers.at(-2)), answers.at(-1)], ["limit_exceeded", ANSWER]);
  assert.equal((await ask(port, "/v1/evaluate", { type: NDJSON, body: Uint8Array.of(0xff, 10, 0xc0) })).text.match(/malformed_json/g).length, 2);
  assert.equal((await ask(port, "/v1/evaluate", { type: NDJSON, body: "" })).text, "");
});

test("lines are answered while others are still to come", async () => {
  const { sent, next, answered } = stream(port);
  for (const [line, code] of [[OK, undefined], ["{", "malformed_json"], [text(FAILING), undefined], ["{}", "missing_field"]]) {
    sent.write(`${line}\n`);
    assert.equal(codeOf(await next()), code);
  }
  // A line in pieces is one line.
  for (const piece of [OK.slice(0, 10), OK.slice(10), "\n"]) sent.write(piece);
  assert.equal(await next(), ANSWER);
  sent.end();
  assert.equal(await next(), undefined);
  assert.ok((await answered).complete);
});

test("a refused request has its status, its code and its path", async () => {
  const huge = `"${"a".repeat(2 << 20)}"`;
  for (const [path, options, status, code, pointer = ""] of [
    ["/v1/evaluate", { body: "{" }, 400, "malformed_json"],
    ["/v1/evaluate", { body: "" }, 400, "malformed_json"],
    ["/v1/evaluate", { body: '{"run_id":1,"run_id":2}' }, 400, "duplicate_key", "/run_id"],
    ["/v1/evaluate", { body: text({ ...envelope(), runid: 1 }) }, 422, "unknown_field", "/runid"],
    ["/v1/evaluate", { body: huge }, 413, "limit_exceeded"],
    ["/v1/evaluate", { body: huge, headers: { "transfer-encoding": "chunked" } }, 413, "limit_exceeded"],
    ["/v1/evaluate", { method: "GET", type: null }, 405, "method_not_allowed"],
    ["/v1/evaluate", { method: "DELETE", body: OK }, 405, "method_not_allowed"],
    ["/healthz", { body: OK }, 405, "method_not_allowed"],
    ["/v1/evaluate", { type: null, body: OK }, 415, "unsupported_media_type"],
    ["/v1/evaluate", { type: "text/plain", body: OK }, 415, "unsupported_media_type"],
    ["/v1/evaluate", { type: "toString", body: OK }, 415, "unsupported_media_type"],
    ["/v1/evaluate", { body: OK, headers: { "content-encoding": "gzip" } }, 415, "unsupported_media_type"],
    ["/v1/approve", { body: OK }, 404, "not_found"],
    ["/v1/constructor", { body: OK }, 404, "not_found"],
    ["/v1/../../etc/passwd", { body: OK }, 404, "not_found"],
    ["//", { body: OK }, 404, "not_found"],
  ]) {
    const answer = await ask(port, path, options);
    const { error } = JSON.parse(answer.text);
    assert.deepEqual([answer.status, error.code, error.path], [status, code, pointer], `${path} ${text(options).slice(0, 80)}`);
    assert.notEqual(error.message, "");
  }
  assert.equal((await ask(port, "/v1/evaluate", { method: "PUT", body: OK })).headers.allow, "POST");
  const typed = { type: "Application/JSON; charset=utf-8", body: OK };
  assert.equal((await ask(port, "/v1/evaluate", typed)).text, ANSWER);
  await assertWell();
});

test("a huge body is refused before it comes", async () => {
  const head = "POST /v1/evaluate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
  const declared = raw(port, `${head}content-length: 1000000000000\r\n\r\n`);
  assert.match(await declared.all, /^HTTP\/1\.1 413 [^]*limit_exceeded/);
  const expecting = raw(port, `${head}content-length: 1000000000000\r\nexpect: 100-continue\r\n\r\n`);
  assert.match(await expecting.all, /413 [^]*limit_exceeded/);
  const polite = await ask(port, "/v1/evaluate", { body: OK, headers: { expect: "100-continue" } });
  assert.equal(polite.text, ANSWER);
  await assertWell();
});

test("a client that disconnects in the middle causes no error", async () => {
  for (let round = 0; round < 50; round++) {
    const { sent, next } = stream(port);
    sent.write(`${OK}\n`.repeat(200));
    if (round % 2 === 0) await next();
    sent.destroy();
    const { socket } = raw(port, `POST /v1/evaluate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    await once(socket, "connect");
    socket.resetAndDestroy();
  }
  await assertWell();
});

test("after SIGTERM, begun requests are answered and new ones are refused", async () => {
  const ending = await start(folder);
  const { sent, next, answered } = stream(ending.port);
  sent.write(`${OK}\n`);
  assert.equal(await next(), ANSWER);
  const exited = ending.stop();
  await until(
    () =>
      ask(ending.port, "/healthz", { method: "GET", type: null }).then(() => false, () => true),
    "no connection is taken",
  );
  sent.end(`${OK}\n${text(FAILING)}\n`);
  assert.equal(await next(), ANSWER);
  assert.equal(await next(), engine.evaluateText(text(FAILING)));
  assert.equal(await next(), undefined);
  assert.ok((await answered).complete);
  assert.deepEqual(await exited, { code: 0, errors: "" });
});

test("a request that does not end delays the shutdown for a limited time", async () => {
  const ending = await start(folder, { DRAIN_MS: "300" });
  const { sent, next } = stream(ending.port);
  sent.write(`${OK}\n`);
  await next();
  assert.equal((await ending.stop()).code, 1);
});

test("a policy decides, and settings that are none are refused", async () => {
  writeFileSync(join(folder, "policy.json"), text(STRICT_POLICY));
  const strict = await start(folder, { POLICY: join(folder, "policy.json") });
  assert.equal(strict.announced.policy, "strict");
  const options = { policy: text(STRICT_POLICY) };
  assert.equal((await ask(strict.port, "/v1/evaluate", { body: OK })).text, engine.evaluateText(OK, options));
  assert.equal((await ask(strict.port, "/v1/refine", { body: OK })).text, engine.refineText(OK, options));
  assert.equal((await strict.stop()).code, 0);
  for (const [name, value] of [
    ["BODY_MS", "soon"],
    ["BODY_MS", "3000000000"],
    ["HEADERS_MS", ""],
    ["IDLE_MS", "0"],
    ["DRAIN_MS", "1e3"],
    ["CONNECTIONS", "-1"],
    ["PORT", "65536"],
  ]) {
    const { code, errors } = await (await start(folder, { [name]: value })).exited;
    assert.deepEqual([code, errors.includes(`${name} is a whole number from `)], [64, true], `${name}=${value}`);
  }
  assert.notEqual((await (await start(folder, { POLICY: join(folder, "package.json") })).exited).code, 0);
});

test("the service ends without an error", async () => {
  await assertWell();
  assert.deepEqual(await service.stop(), { code: 0, errors: "" });
});

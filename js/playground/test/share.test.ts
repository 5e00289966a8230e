import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { LinkError, decode, encode, verdictIn, type SharedDocuments } from "../src/share.js";

const shared: SharedDocuments = { view: "compare", envelope: '{"é😀": 1.0}', policy: "", other: "x".repeat(100_000), plan: "{\n}" };

function link(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return `v1.${deflateRawSync(text).toString("base64url")}`;
}

test("a link returns its documents byte for byte", async () => {
  const fragment = await encode(shared);
  assert.match(fragment, /^v1\.[\w-]+$/);
  assert.ok(fragment.length < 1000, `${fragment.length} characters`);
  assert.deepEqual(await decode(fragment), shared);
  const odd = { ...shared, envelope: "\u0000\ud800 \"'<>&#%", view: "" };
  // A lone surrogate has no form in UTF-8, but it has one in JSON.
  assert.deepEqual(await decode(await encode(odd)), odd);
});

test("garbage is refused with a reason, and never opened", async () => {
  const whole = await encode(shared);
  const garbage = [
    ...["", "result", "v1", "v1.", "v2.abc", "v1.!!!", "v1.a", "v1.AAAA", "v1.%20", whole.slice(0, -7), `v1.${whole}`],
    ...["not JSON", {}, [1, 2, 3, 4, 5], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d", null]].map(link),
    `v1.${deflateRawSync(Buffer.from([0xff, 0xfe, 0x22])).toString("base64url")}`,
  ];
  for (const fragment of garbage) {
    await assert.rejects(decode(fragment), (error) => error instanceof LinkError && error.message.length > 10, fragment);
  }
});

test("a link that was changed anywhere is refused or opens as documents", async () => {
  const whole = await encode({ ...shared, other: "short" });
  const places = Array.from({ length: whole.length - 3 }, (_, at) => at + 3);
  const replaced = places.map((at) => whole.slice(0, at) + (whole[at] === "A" ? "B" : "A") + whole.slice(at + 1));
  for (const changed of [...replaced, ...places.map((at) => whole.slice(0, at)), `${whole}x`, `${whole}AAAA`]) {
    try {
      const opened = await decode(changed);
      assert.ok(Object.values(opened).every((text) => typeof text === "string"));
    } catch (error) {
      assert.ok(error instanceof LinkError, `${changed}: ${String(error)}`);
    }
  }
});

test("a small link does not become gigabytes", async () => {
  const bomb = link(["", "a".repeat(64 << 20), "", "", ""]);
  assert.ok(bomb.length < 200_000);
  await assert.rejects(decode(bomb), (error) => error instanceof LinkError && error.message.includes("more than"));
  await assert.rejects(decode(`v1.${"A".repeat(3 << 20)}`), LinkError);
  const noise = Array.from({ length: 400_000 }, () => Math.random().toString(36)).join("");
  await assert.rejects(encode({ ...shared, plan: noise }), LinkError);
});

test("a link to a verdict returns its text, and garbage is refused", async () => {
  const text = '{"verdict": 1.0, "é": "😀"}\n';
  assert.equal(await verdictIn(`verdict=${deflateRawSync(text).toString("base64url")}`), text);
  assert.equal(await verdictIn(await encode(shared)), undefined);
  const bomb = deflateRawSync("a".repeat(64 << 20)).toString("base64url");
  for (const data of ["", "!", "AAAA", bomb, "A".repeat(3 << 20), deflateRawSync(Buffer.from([0xff])).toString("base64url")]) {
    await assert.rejects(verdictIn(`verdict=${data}`), LinkError, data.slice(0, 20));
  }
});

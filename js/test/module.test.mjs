/** Policy modules through `loadModule`: accepted and rejected modules, and answers. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { engineFile } from "./support/abi.mjs";
import { loadEndless } from "./support/endless.mjs";
import { FAILING, STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { PLAN_CALLS } from "./support/operations.mjs";
import { numbers } from "./support/random.mjs";
import { LOOP, module as wasm } from "./support/wasm.mjs";

const forms = await bothForms(install());
const { AdjudicateError, createEngineSync, loadModule } = forms.import.main;
const skip = existsSync(engineFile) ? false : `${engineFile} is not built`;
const engineModule = skip ? undefined : readFileSync(engineFile);
const text = JSON.stringify(envelope());
const ANSWER = createEngineSync().evaluateText(text);
const FINDING = { ...{ rule: "r", status: "blocked", severity: "medium", summary: "s", evidence_ref: "" }, resolution: { kind: "terminal", hint: "" } };
const answering = (more) => wasm({ reply: `{"ok":${ANSWER}}`, ...more });

test("the engine as a module answers as the engine, in every operation", { skip }, async () => {
  const engine = createEngineSync();
  const module = await loadModule(engineModule);
  assert.deepEqual(module.operations, engine.operations);
  assert.equal(module.digest, `sha256:${createHash("sha256").update(engineModule).digest("hex")}`);
  for (const [name, call] of Object.entries(PLAN_CALLS)) {
    assert.equal(module.callText(name, JSON.stringify(call)), engine.callText(name, JSON.stringify(call)), name);
  }
  const policy = STRICT_POLICY;
  const parsed = engine.policy(policy);
  for (const ask of [
    (asked) => asked.evaluate(FAILING, { policy }),
    (asked) => asked.evaluate(FAILING, { policy: parsed }),
    (asked) => asked.evaluateText(text, { policy: JSON.stringify(policy) }),
    (asked) => asked.refine(FAILING, { policy, evaluation: engine.evaluate(FAILING, { policy }) }),
    (asked) => asked.explain(FAILING, { trace: true }),
    (asked) => asked.checkPolicy(policy),
    (asked) => asked.call("evaluate", { envelope: envelope(), policy }),
  ]) {
    assert.deepEqual(ask(module), ask(engine));
  }
});

test("an answer about 2,000 violations is within the default limits, and not within 1 MiB", { skip }, async () => {
  const files = Array.from({ length: 2000 }, (_, number) => {
    return { path: `src/components/${number}/${"long-name-of-a-folder/".repeat(4)}index.test.ts`, change: "modified" };
  });
  const { evidence, ...rest } = envelope();
  const call = JSON.stringify({ ...rest, evidence: { ...evidence, diff: { files } } });
  const policy = JSON.stringify({ policy: "closed", version: "1.0.0", forbidden_paths: ["**"] });
  const expected = createEngineSync().evaluateText(call, { policy });
  assert.ok(expected.length > 1.2e6 && expected.length < 4 << 20, `${expected.length}`);
  assert.equal((await loadModule(engineModule)).evaluateText(call, { policy }), expected);
  const narrow = await loadModule(engineModule, { outputBytes: 1 << 20 });
  assert.throws(() => narrow.evaluateText(call, { policy }), { code: "module_output_too_large" });
});

test("a module's count of findings that are left out is any that the interface has", async () => {
  const finding = { ...FINDING, rule: "findings_omitted", count: 2 ** 40 };
  const counting = ANSWER.replace(/"findings":\[.*?\],"loop"/s, `"findings":[${JSON.stringify(finding)}],"loop"`);
  const module = await loadModule(answering({ reply: `{"ok":${counting}}` }));
  assert.equal(module.evaluate(envelope()).findings[0].count, 2 ** 40);
  for (const count of [-1, 1.5, "1", null]) {
    const odd = await loadModule(answering({ reply: `{"ok":${counting.replace(`${2 ** 40}`, JSON.stringify(count))}}` }));
    assert.throws(() => odd.evaluate(envelope()), { code: "module_invalid_decision", path: "/findings/0/count" }, `${count}`);
  }
});

test("both forms of the package and the slim entry load modules, here and in a worker", async () => {
  for (const { main, slim } of Object.values(forms)) {
    const engine = main.createEngineSync();
    for (const load of [main.loadModule, (bytes, options) => slim.loadModule(bytes, slimEngine(slim), options)]) {
      const [here, there] = [await load(answering()), await load(answering(), { deadlineMs: 60_000 })];
      assert.equal(here.evaluateText(text), engine.evaluateText(text));
      assert.equal(await there.evaluateText(text), engine.evaluateText(text));
      assert.deepEqual(await there.evaluate(envelope()), here.evaluate(envelope()));
      there.dispose();
    }
  }
});

function slimEngine(slim) {
  return slim.createEngineSync(readFileSync(new URL("../dist/engine.wasm", import.meta.url)));
}

test("bytes are taken as they are, wherever they lie, and as they were", async () => {
  const bytes = answering();
  const larger = new Uint8Array(bytes.length + 9).fill(0xaa);
  larger.set(bytes, 5);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const { digest } = await loadModule(bytes);
  for (const same of [larger.subarray(5, 5 + bytes.length), shared, shared.buffer, Buffer.from(bytes), bytes.buffer]) {
    assert.equal((await loadModule(same)).digest, digest);
  }
  const loading = loadModule(shared);
  shared.fill(0);
  await loading.then((module) => assert.equal(module.digest, digest), (error) => assert.equal(error.code, "module_malformed"));
});

test("bytes that are no module, and invalid options, are wrong usage", async () => {
  const compiled = new WebAssembly.Module(answering());
  for (const bytes of [undefined, null, "", {}, [], 7, compiled, new Float64Array(8), new DataView(new ArrayBuffer(8)), new Response()]) {
    await assert.rejects(loadModule(bytes), { code: "wrong_usage" });
  }
  await assert.rejects(loadModule(compiled), /WebAssembly\.Module/);
  const gone = new ArrayBuffer(8);
  structuredClone(gone, { transfer: [gone] });
  await assert.rejects(loadModule(gone), AdjudicateError);
  for (const options of [
    ...[7, [], "500", createEngineSync(), createEngineSync().policy(STRICT_POLICY), { deadlineMS: 5 }, { memoryBytes: 1 }, { outputBytes: 2 ** 40 }],
    ...[0, -1, 1.5, "500", Infinity, NaN, 500n].map((deadlineMs) => ({ deadlineMs })),
    ...[{ inputBytes: (8 << 20) + 1 }, { moduleBytes: {} }, { workerUrl: 7 }],
    {
      get deadlineMs() {
        throw new Error("of a getter");
      },
    },
  ]) {
    await assert.rejects(loadModule(answering(), options), { code: "wrong_usage" });
  }
  await assert.rejects(loadModule(answering(), {}, {}), { code: "wrong_usage" });
});

test("a manifest cannot reach beyond itself", async () => {
  const poisoned = '{"abi":1,"name":"n","version":"1.0.0","operations":["evaluate"],"__proto__":{"policy":{}}}';
  await assert.rejects(loadModule(answering({ manifest: poisoned })), { code: "module_manifest", path: "/__proto__" });
  const constructor = poisoned.replace("__proto__", "constructor");
  await assert.rejects(loadModule(answering({ manifest: constructor })), { code: "module_manifest", path: "/constructor" });
  const own = poisoned.replace('"__proto__":{"policy":{}}', '"x-own":{"__proto__":{"polluted":true}}');
  const { manifest } = await loadModule(answering({ manifest: own }));
  assert.equal({}.polluted, undefined);
  assert.equal(manifest["x-own"].polluted, undefined);
  assert.ok(Object.isFrozen(manifest) && Object.isFrozen(manifest.operations) && Object.isFrozen(manifest["x-own"]));
});

test("only operations of the manifest are answered, and errors keep the module's code", async () => {
  const module = await loadModule(answering());
  assert.throws(() => module.refine(envelope()), { code: "unsupported_operation" });
  assert.throws(() => module.call("guess", {}), { code: "unsupported_operation" });
  const report = (code) => loadModule(wasm({ reply: `{"error":{"code":"${code}","message":"m","path":"/p"}}` }));
  const own = await report("of_my_own");
  assert.throws(() => own.evaluateText(text), (error) => {
    assert.deepEqual(error.toJSON(), { error: { code: "of_my_own", message: "m", path: "/p" } });
    return error instanceof AdjudicateError;
  });
  const lying = await report("module_trap");
  assert.throws(() => lying.evaluateText(text), { code: "module_malformed_reply" });
});

test("an input that is none is refused before the module sees it", async () => {
  const module = await loadModule(wasm({ body: LOOP }));
  for (const [input, code] of [["{", "malformed_json"], ['{"a":1,"a":2}', "duplicate_key"], ["[".repeat(200), "limit_exceeded"]]) {
    assert.throws(() => module.evaluateText(input), { code });
  }
});

test("a call that takes too long is ended, and other calls get their answers", async () => {
  const looping = await loadEndless(loadModule);
  const steady = await loadModule(answering(), { deadlineMs: 60_000 });
  for (let repeat = 0; repeat < 3; repeat++) {
    const calls = [looping.evaluateText(text), steady.evaluateText(text), looping.evaluateText(text)];
    const [first, between, last] = await Promise.allSettled(calls);
    assert.equal(first.reason.code, "module_deadline");
    assert.equal(between.value, ANSWER);
    assert.equal(last.reason.code, "module_deadline");
  }
  await assert.rejects(loadModule(wasm({ initialize: LOOP }), { deadlineMs: 50 }), { code: "module_deadline" });
  looping.dispose();
  steady.dispose();
});

test("an invalid call in a worker is a rejection", async () => {
  const module = await loadModule(answering(), { deadlineMs: 60_000 });
  for (const call of [
    () => module.evaluate(envelope(), { polcy: STRICT_POLICY }),
    () => module.evaluate(new Map()),
    () => module.refineText(text),
    () => module.call("evaluate", {}, {}),
    () => module.callText("evaluate", 7),
  ]) {
    await assert.rejects(call(), AdjudicateError);
  }
  const { evaluate } = module;
  await assert.rejects(evaluate(envelope()), { code: "wrong_usage" });
  module[Symbol.dispose ?? "dispose"]();
});

test("a module that was disposed of answers no calls", async () => {
  const here = await loadModule(answering());
  here.dispose();
  here.dispose();
  assert.throws(() => here.evaluateText(text), { code: "wrong_usage" });
  const there = await loadModule(wasm({ body: LOOP }), { deadlineMs: 60_000 });
  const calls = [there.evaluateText(text), there.evaluateText(text)];
  // The call is in the worker by then, or on its way to it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  there.dispose();
  for (const { reason } of await Promise.allSettled(calls)) assert.equal(reason.code, "wrong_usage");
  await assert.rejects(there.evaluateText(text), { code: "wrong_usage" });
});

test("garbage is refused and never loaded", { skip }, async () => {
  const small = answering();
  for (let end = 0; end < small.length; end++) {
    await assert.rejects(loadModule(small.subarray(0, end)), (error) => isRefusal(error), `cut at ${end}`);
  }
  // A damaged module may loop, so it runs in a worker with a deadline, and is not called.
  const below = numbers(7);
  for (let round = 0; round < 400; round++) {
    const bytes = Uint8Array.from(round % 40 === 0 ? engineModule : small);
    for (let change = below(4); change >= 0; change--) bytes[8 + below(bytes.length - 8)] = below(256);
    await inspected(bytes).catch((error) => assert.ok(isRefusal(error), String(error.stack)));
  }
});

/** Loads an untrusted module in a worker. */
async function inspected(bytes) {
  const module = await loadModule(bytes, { deadlineMs: 1000 });
  module.dispose();
}

function isRefusal(error) {
  return error instanceof AdjudicateError && /^(module_|unsupported)/.test(error.code);
}

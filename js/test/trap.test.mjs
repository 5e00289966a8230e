/**
 * A trap is an error with a code. The next call has a new instance.
 *
 * No call makes the engine trap on request. So the exports of instances, which the glue calls, check the parameter with the length of the
 * input first, and trap if it has a certain value.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { STRICT_POLICY, envelope } from "./support/envelope.mjs";
import { collectGarbage } from "./support/garbage.mjs";
import { bothForms, install, installedFile } from "./support/installed.mjs";
import { watchMemories } from "./support/memory.mjs";
import { module as wasm } from "./support/wasm.mjs";

const folder = install();
const forms = await bothForms(folder);
const { AdjudicateError, createEngineSync, loadModule } = forms.import.slim;

/** The length of the input on which the engine traps. */
const DEADLY = 7_777;
const TEXT = JSON.stringify(envelope());
const compiled = new WebAssembly.Module(readFileSync(installedFile(folder, "dist", "engine.wasm")));
/** The exported functions with an input, and the index of the parameter with its length. */
const TAKING = {
  admit: 2,
  call: 2,
  composedcall_answer: 5,
  composedcall_evaluate: 2,
  hash_update: 2,
  join: 5,
  judge: 4,
  openenvelope_new: 1,
  openenvelope_set: 4,
  policy_call: 3,
  policy_new: 1,
  manifest: 1,
};

/** Gives all later instances of the engine the defect. */
function trapping(length) {
  const { Instance, Module } = WebAssembly;
  const { adjudicate_call: trap } = new Instance(new Module(wasm({ body: [0x00] }))).exports;
  const defective = (name, run) => (...given) => (given[TAKING[name]] === length ? trap(0, 0, 0) : run(...given));
  WebAssembly.Instance = class extends Instance {
    #exports;
    get exports() {
      const entries = Object.entries(super.exports).map(([name, value]) => [name, name in TAKING ? defective(name, value) : value]);
      return (this.#exports ??= Object.fromEntries(entries));
    }
  };
}

trapping(DEADLY);
const GIVEN = { text: TEXT, policy: JSON.stringify(STRICT_POLICY) };
const padded = TEXT.padEnd(DEADLY);

const pad = (text, length = DEADLY) => text.padEnd(length);

/** `[name, ({ engine, policy, module, text, ... }) => ...]`: each traps. */
const waysToTrap = [
  ["call", ({ engine, text }) => engine.evaluateText(pad(text))],
  ["call, value", ({ engine, text }) => engine.evaluate(grown(text))],
  ["call, whole", ({ engine, text }) => engine.callText("evaluate", pad(text))],
  ["join", ({ engine, text, document }) => engine.evaluateText(pad(text, DEADLY - document.length), { policy: document })],
  ["policy_new", ({ engine, document }) => engine.policyText(pad(document))],
  ["policy_call", ({ policy, text }) => policy.evaluateText(pad(text))],
  ["composedcall_evaluate", ({ engine, text }) => engine.composeText(pad(text))],
  ["composedcall_evaluate of a parsed policy", ({ policy, text }) => policy.composeText(pad(text))],
  ["composedcall_answer", ({ engine, text, answer }) => engine.composeText(text, { restrict: [{ origin: "theirs", answer: pad(answer) }] })],
  ["compose with a policy", ({ engine, text, document }) => engine.composeText(text, { restrict: [pad(document)] })],
  ["openenvelope_new", ({ engine, text }) => engine.openText(pad(text))],
  ["openenvelope_set", ({ engine, text }) => engine.openText(text).setText("", pad(text))],
  ["admit", ({ module, text }) => module.evaluateText(pad(text))],
  ["judge", ({ long, text }) => long.evaluateText(text)],
  ["hash_update", ({ slim, engine, ofLength }) => slim.loadModule(ofLength(DEADLY), engine)],
  ["manifest", ({ slim, engine, manifest }) => slim.loadModule(wasm({ manifest: pad(manifest) }), engine)],
];

/** Returns an envelope whose JSON has this length. */
function grown(text) {
  const value = JSON.parse(text);
  value["x-room"] = "";
  value["x-room"] = "a".repeat(DEADLY - JSON.stringify(value).length);
  return value;
}

/** Returns the functions that do not trap, or do not recover. */
async function faultsOf(slim, compiled, { text, policy: document }) {
  const engine = slim.createEngineSync(compiled);
  const policy = engine.policyText(document);
  const answer = engine.evaluateText(text);
  const manifest = JSON.stringify({ abi: 1, name: "small", version: "1.0.0", operations: ["evaluate"] });
  const long = await slim.loadModule(wasm({ reply: pad(`{"ok":${answer}}`) }), engine);
  const module = await slim.loadModule(wasm({ reply: `{"ok":${answer}}` }), engine);
  const ofLength = (length) => {
    // The lengths in a longer module take a few more bytes.
    const replies = Array.from({ length: 32 }, (_, less) => " ".repeat(length - wasm().length - less));
    return replies.map((reply) => wasm({ reply })).find((bytes) => bytes.length === length);
  };
  const given = { slim, engine, policy, module, long, text, document, answer, manifest, ofLength };
  const expected = [answer, policy.evaluateText(text), module.evaluateText(text)];
  const faults = [];
  for (const [name, run] of waysToTrap) {
    const code = await (async () => run(given))().then(() => "no error", (error) => error.code ?? String(error));
    if (code !== "trap") faults.push(`${name}: ${code}`);
    const found = [engine.evaluateText(text), policy.evaluateText(text), module.evaluateText(text)];
    if (JSON.stringify(found) !== JSON.stringify(expected)) faults.push(`${name}: it does not go on`);
  }
  return faults;
}

function assertTraps(engine) {
  assert.throws(
    () => engine.evaluateText(padded),
    (error) => {
      assert.ok(error instanceof AdjudicateError);
      assert.equal(error.code, "trap");
      assert.ok(error.cause instanceof WebAssembly.RuntimeError);
      return true;
    },
  );
}

for (const [form, { slim }] of Object.entries(forms)) {
  test(`after a trap at any place, the engine answers the next call (${form})`, async () => {
    assert.ok(waysToTrap.length >= 12);
    assert.deepEqual(await faultsOf(slim, compiled, GIVEN), []);
  });
}

test("an open envelope is lost with its instance", () => {
  const engine = createEngineSync(compiled);
  const open = engine.open(envelope());
  assertTraps(engine);
  for (const use of [() => open.evaluate(), () => open.set("/run_id", "a"), () => open.text()]) {
    assert.throws(use, { code: "trap", message: /open it again/ });
  }
  open.free();
  assert.throws(() => open.evaluate(), { code: "wrong_usage" });
  assert.equal(engine.open(envelope()).evaluateText(), engine.evaluateText(TEXT));
});

test("engines do not share an instance", () => {
  const [first, second] = [createEngineSync(compiled), createEngineSync(compiled)];
  const policy = second.policy(STRICT_POLICY);
  assertTraps(first);
  assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
});

test("policies that were not freed cause no error after a trap", async () => {
  const engine = createEngineSync(compiled);
  for (let count = 0; count < 1000; count++) engine.policy(STRICT_POLICY).open(envelope());
  assertTraps(engine);
  await collectGarbage();
  assert.equal(engine.evaluate(envelope()).decision.status, "success");
});

test("in a batch, a trap is the error of one envelope", () => {
  const engine = createEngineSync(compiled);
  const lines = engine.evaluateBatchText(`${TEXT}\n${padded}\n${TEXT}\n`).trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).error?.code), [undefined, "trap", undefined]);
  const policy = engine.policy(STRICT_POLICY);
  const answers = policy.evaluateBatchText(`${padded}\n${TEXT}\n`).trimEnd().split("\n");
  assert.equal(JSON.parse(answers[1]).decision.status, "unsafe");
});

test("instances that trapped are gone", async () => {
  const watch = watchMemories();
  try {
    const engine = createEngineSync(compiled);
    const policy = engine.policy(STRICT_POLICY);
    const module = await loadModule(wasm({ reply: "{}" }), engine);
    for (let round = 0; round < 20; round++) {
      for (let repeat = 0; repeat < 25; repeat++) {
        assertTraps(engine);
        assert.equal(policy.evaluate(envelope()).decision.status, "unsafe");
        assert.throws(() => module.evaluateText(TEXT), AdjudicateError);
      }
      await collectGarbage();
    }
    // Five hundred calls trapped.
    assert.ok(watch.living().length < 100, `${watch.living().length}`);
    assertTraps(engine);
    policy.free();
    assert.throws(() => policy.evaluate(envelope()), { code: "wrong_usage" });
  } finally {
    watch.stop();
  }
});

/** Calls that make the engine with defects trap. Runs in Node and in a page. */
import { module as wasm } from "./wasm.mjs";

/** The length of the input on which the engine traps. */
export const DEADLY = 7_777;

const pad = (text, length = DEADLY) => text.padEnd(length);

/** `[name, ({ engine, policy, module, text, ... }) => ...]`: each traps. */
export const waysToTrap = [
  ["call", ({ engine, text }) => engine.evaluateText(pad(text))],
  ["call, value", ({ engine, text }) => engine.evaluate(grown(text))],
  ["call, whole", ({ engine, text }) => engine.callText("evaluate", pad(text))],
  ["join", ({ engine, text, document }) => engine.evaluateText(pad(text, DEADLY - document.length), { policy: document })],
  ["policy_new", ({ engine, document }) => engine.policyText(pad(document))],
  ["policy_call", ({ policy, text }) => policy.evaluateText(pad(text))],
  ["composedcall_evaluate", ({ engine, text }) => engine.composeText(pad(text))],
  ["composedcall_evaluate of a parsed policy", ({ policy, text }) => policy.composeText(pad(text))],
  [
    "composedcall_answer",
    ({ engine, text, answer }) => engine.composeText(text, { restrict: [{ origin: "theirs", answer: pad(answer) }] }),
  ],
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
export async function faultsOf(slim, compiled, { text, policy: document }) {
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
    const code = await (async () => run(given))().then(
      () => "no error",
      (error) => error.code ?? String(error),
    );
    if (code !== "trap") faults.push(`${name}: ${code}`);
    const found = [engine.evaluateText(text), policy.evaluateText(text), module.evaluateText(text)];
    if (JSON.stringify(found) !== JSON.stringify(expected)) faults.push(`${name}: it does not go on`);
  }
  return faults;
}

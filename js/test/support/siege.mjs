/** Malformed calls: corrupted calls of the corpus, by every function. Every run has the same calls. */
import { numbers } from "./random.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

const TOKENS = ["{", "}", "[", "]", '"', ",", ":", "null", "1e999", "-0", "\\ud800", "\0", "\u00ff", '"x":', "true", "\ufeff", "18446744073709551616"];

/** Functions that corrupt bytes. `other` has the bytes of another call. */
const SPOIL = [
  (bytes, random) => bytes.subarray(0, random(bytes.length + 1)),
  (bytes, random) => bytes.with(random(bytes.length), random(256)),
  (bytes, random) => bytes.with(random(bytes.length), bytes[random(bytes.length)]),
  (bytes, random) => joined(bytes.subarray(0, random(bytes.length)), bytes.subarray(random(bytes.length))),
  (bytes, random, other) => joined(bytes.subarray(0, random(bytes.length)), other.subarray(random(other.length))),
  (bytes, random) => {
    const at = random(bytes.length);
    return joined(bytes.subarray(0, at), encoder.encode(TOKENS[random(TOKENS.length)]), bytes.subarray(at));
  },
  (bytes, random) => {
    const keys = [...decoder.decode(bytes).matchAll(/"(\w+)"\s*:/g)];
    const key = keys.length === 0 ? undefined : keys[random(keys.length)];
    return key === undefined ? new Uint8Array(0) : encoder.encode(decoder.decode(bytes).replace(key[0], `"${key[1]}s":`));
  },
];

function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}

/** Returns the code of the package's error. Other errors are thrown again. */
function refusal(run) {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error?.name !== "AdjudicateError" || error.code === "trap") throw error;
    return error.code;
  }
}

/**
 * Returns calls that the engine rejects: `{ operation, bytes, text, value }`. A text that is not JSON has no `value`.
 *
 * @param corpus Calls as bytes, by operation.
 */
export function malformed(engine, corpus, count, random) {
  const operations = Object.keys(corpus);
  for (const operation of operations) corpus[operation] = corpus[operation].filter(({ length }) => length > 0);
  const found = [];
  while (found.length < count) {
    const operation = operations[found.length % operations.length];
    const pick = () => corpus[operation][random(corpus[operation].length)];
    const bytes = SPOIL[random(SPOIL.length)](pick(), random, pick());
    if (refusal(() => engine.callText(operation, bytes)) === undefined) continue;
    const text = decoder.decode(bytes);
    found.push({ operation, bytes, text, value: valueOf(text) });
  }
  return found;
}

function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Values without a JSON form, and arguments of the wrong type. */
const ODD = [undefined, null, 7, "{", Symbol("a"), 1n, new Map(), [undefined], { a: Number.NaN }, { a: "\ud800" }, () => 1, new Float64Array(4), Object.create(null)];

/** The functions of an engine, a parsed policy and a module, as `[name, (call, index) => ...]`. */
export function waysInto(engine, policy, module) {
  const camel = (name) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
  const own = (operation) => (operation === "check_policy" ? "checkPolicy" : camel(operation));
  const batched = [];
  return [
    ["call, text", ({ operation, text }) => engine.callText(operation, text)],
    ["call, bytes", ({ operation, bytes }) => engine.callText(operation, bytes)],
    ["call, value", ({ operation, value, text }) => engine.call(operation, value === undefined ? text : value)],
    ["method, text", ({ operation, text }) => engine[`${own(operation)}Text`](text)],
    ["method, value", ({ operation, value }, at) => engine[own(operation)](value === undefined ? ODD[at % ODD.length] : value)],
    ["a policy beside", ({ text }, at) => engine.evaluateText(at % 2 === 0 ? text : "{", { policy: text })],
    ["an evaluation beside", ({ text }) => engine.refineText(text, { evaluation: text })],
    ["options", ({ text, value }, at) => engine.explain(value ?? {}, ODD[1 + (at % (ODD.length - 1))] ?? text)],
    ["a policy to parse", ({ text }) => engine.policyText(text)],
    ["a policy to parse, value", ({ value }, at) => engine.policy(value ?? ODD[at % ODD.length])],
    ["parsed: text", ({ bytes }) => policy.evaluateText(bytes)],
    ["parsed: refine", ({ text }) => policy.refineText(text, { evaluation: text })],
    ["parsed: explain", ({ value }, at) => policy.explain(value ?? ODD[at % ODD.length], { trace: true })],
    [
      "composed",
      ({ text }) => engine.composeText(text, { restrict: [policy, text], override: { origin: "theirs", answer: text } }),
    ],
    ["composed by a parsed policy", ({ value, text }) => policy.compose(value ?? {}, { restrict: [text] })],
    [
      "a batch",
      ({ text, value }) => {
        batched.push(value ?? text);
        if (batched.length < 10) throw refused("waits");
        const items = [...engine.evaluateBatch(batched), ...policy.evaluateBatch(batched.splice(0))];
        if (items.every(({ error }) => error !== undefined)) throw refused("all refused");
      },
    ],
    [
      "lines",
      ({ text }) => {
        const line = `${text.replaceAll(/\s/g, " ")}\n`;
        if (!/\{"error"/.test(engine.evaluateBatchText(line) + policy.evaluateBatchText(line))) return;
        throw refused("refused");
      },
    ],
    ["a module, text", ({ operation, text }) => module.callText(operation, text)],
    ["a module, value", ({ operation, value }) => module.call(operation, value)],
  ];
}

/** Throws the error in the answer of a batch. */
function refused(code) {
  return Object.assign(new Error(code), { name: "AdjudicateError", code });
}

/** Waits for another task, because the garbage of a task is not collected before its end. */
const breath = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Calls the functions until `count` calls were rejected. Returns the number for each function. */
async function besiege(ways, calls, count) {
  const refused = Object.fromEntries(ways.map(([name]) => [name, 0]));
  for (let at = 0, sum = 0; sum < count; at++) {
    if (at % 500 === 0) await breath();
    // Three quarters of the calls use the first two functions, which are the cheapest.
    const [name, call] = ways[at % 4 === 3 ? ((at - 3) / 4) % ways.length : at % 2];
    const one = calls[Math.floor(at / (4 * ways.length) + at) % calls.length];
    if (refusal(() => call(one, at)) === undefined) continue;
    refused[name]++;
    sum++;
  }
  return refused;
}

/** Runs all malformed calls on an engine. Returns the memory afterwards. `collect` collects garbage. */
export async function siege({ main, module, corpus, collect, watch, count }) {
  const engine = main.createEngineSync();
  const policy = engine.policy({ policy: "strict", version: "1.0.0", forbidden_paths: ["src/**"] });
  const loaded = await main.loadModule(module);
  // The memories of the engine and of the checker of modules stay; those of module instances do not.
  const memories = watch.living();
  const bytes = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  const calls = malformed(engine, corpus, 20_000, numbers(20_261_122));
  const ways = waysInto(engine, policy, loaded);
  // As a text, bytes that are no UTF-8 can be a valid call, which needs the memory of an answer once.
  for (const { operation, text } of calls) refusal(() => engine.callText(operation, text));
  await besiege(ways, calls, count / 10);
  await collect();
  const before = bytes();
  const refused = await besiege(ways, calls, count);
  await breath().then(collect);
  return { before, after: bytes(), living: watch.living().length, refused, still: engine.callText("deliberate", '{"turns":[]}') };
}

/** Calls modules that fail. Each call has its own instance, which must be collected afterwards. */
export async function siegeOfModules({ main, modules, input, collect, watch, count }) {
  const loaded = await Promise.all(modules.map((bytes) => main.loadModule(bytes)));
  let refused = 0;
  for (let at = 0; at < count; at++) {
    if (refusal(() => loaded[at % loaded.length].evaluateText(input)) !== undefined) refused++;
    // A tracked memory stays until the end of the task, and a page can have a few hundred.
    if (at % 20 === 0) await breath();
    if (at % 500 === 0) await collect();
  }
  await breath().then(collect);
  return { refused, living: watch.living().length };
}

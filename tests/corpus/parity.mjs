// Compares an interface of the engine with the corpus, in Node and in a browser: no import, and only standard globals.

/** The number of differing answers that are printed in full. */
const SHOWN = 3;

/**
 * The cases of the corpus in the lines that `cargo xtask` writes: `{operation, number, name, call, answer}`. Every call
 * becomes its bytes, and its text unless it is not UTF-8.
 */
export function readLines(lines) {
  const encoder = new TextEncoder();
  return lines.trimEnd().split("\n").map((line) => {
    const { call, ...rest } = JSON.parse(line);
    if (typeof call === "string") return { ...rest, text: call, bytes: encoder.encode(call) };
    return { ...rest, text: null, bytes: Uint8Array.from(call.hex.match(/../g), (digits) => Number.parseInt(digits, 16)) };
  });
}

/** The cases of operations. Compositions are calls of no operation. */
export const readCorpus = (lines) => readLines(lines).filter(({ number }) => number !== 0);

/** The cases of the operations that an engine has. */
export const offered = ({ operations }, cases) => cases.filter(({ operation }) => operations.includes(operation));

/**
 * Calls `answer` for each case and compares. Returns `{face, compared, different, lines, ok}`; `different` has the
 * names of cases that differ.
 */
export function compare(face, cases, answer) {
  const different = [];
  const lines = [];
  for (const one of cases) {
    const actual = answer(one);
    if (actual !== one.answer) differs(one.name, one.answer, actual, different, lines);
  }
  return { face, compared: cases.length, different, lines, ok: cases.length > 0 && different.length === 0 };
}

/** Records a different answer; the first few are printed in full. */
function differs(name, expected, actual, different, lines) {
  different.push(name);
  lines.push(different.length > SHOWN ? name : `${name}\n  expected ${expected}\n  actual   ${actual}`);
}

/** The npm package's answer to a call as a string. */
export function textAnswer(engine) {
  return ({ operation, text }) => answerOrError(() => engine.callText(operation, text));
}

/** The npm package's answer to a call as bytes, which need not be UTF-8. */
export function bytesAnswer(engine) {
  return ({ operation, bytes }) => answerOrError(() => engine.callText(operation, bytes));
}

/**
 * Calls each operation's own method with values, and compares `JSON.stringify` of the answers.
 *
 * A value has less information than a text: no repeated key, no byte order mark, and no spelling of numbers. If a
 * call's text has such information, the answer is compared with the engine's answer to the text of the value. All other
 * answers are compared with the fixture, byte for byte except numbers: JavaScript writes `1` where the engine writes
 * `1.0`.
 */
export function compareValues(face, cases, engine) {
  const counts = { exactly: 0, numbers: 0, less: 0, none: 0 };
  const lines = [];
  const different = [];
  for (const { operation, name, text, answer } of cases) {
    const value = valueOf(text);
    if (value === undefined) {
      counts.none++;
      continue;
    }
    const isWhole = saysNoMore(text, value);
    const expected = isWhole ? answer : answerOrError(() => engine.callText(operation, JSON.stringify(value)));
    const actual = answerOrError(() => JSON.stringify(callMethod(engine, operation, value)));
    if (actual === expected) counts[isWhole ? "exactly" : "less"]++;
    else if (actual === respelled(expected)) counts[isWhole ? "numbers" : "less"]++;
    // The wrapper refuses a string that is not well-formed Unicode before the call is text, with a message of its own.
    else if (!isWhole && !isWellFormed(value) && JSON.parse(actual).error?.code === "invalid_value") counts.less++;
    else differs(name, expected, actual, different, lines);
  }
  const { exactly, numbers, less, none } = counts;
  lines.push(`${exactly} byte for byte, ${numbers} but for the spelling of numbers, ${less} say less than their text, ${none} are no JSON`);
  const compared = cases.length - none;
  const ok = different.length === 0 && exactly > numbers && numbers > less && compared > none;
  return { face, compared, different, lines, ok };
}

/**
 * Calls the operation's own method. If a call has other fields than the method's parameters, it is passed as one value.
 */
function callMethod(engine, operation, call) {
  if (operation === "refine") {
    return hasOnly(call, ["envelope", "policy", "evaluation"]) ? engine.refine(...apart(call)) : engine.call(operation, call);
  }
  if (operation === "check_policy") {
    return hasOnly(call, ["policy"]) ? engine.checkPolicy(call.policy) : engine.call(operation, call);
  }
  return engine[operation.replace(/_(.)/g, (_, letter) => letter.toUpperCase())](call);
}

/** Returns whether a call has only these documents, in this order, with the first one, and without null. */
function hasOnly(call, names) {
  if (typeof call !== "object" || call === null || Array.isArray(call)) return false;
  const places = Object.keys(call).map((name) => names.indexOf(name));
  const isInOrder = places[0] === 0 && places.every((place, at) => at === 0 || place > places[at - 1]);
  return isInOrder && Object.values(call).every((member) => member !== null);
}

function apart({ envelope, ...options }) {
  return [envelope, options];
}

function valueOf(text) {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A string, or a number, of JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Returns whether a text has only the information of its value: each key once, and no number that JavaScript writes
 * otherwise.
 */
function saysNoMore(text, value) {
  let keys = 0;
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (colon !== undefined) keys++;
    else if (!token.startsWith('"') && JSON.stringify(Number(token)) !== token && !isSameFloat(token)) return false;
  }
  return keys === keysIn(value) && isWellFormed(value);
}

/** Fractions, which the engine reads as the same number with any spelling. */
function isSameFloat(token) {
  return /^-?\d+\.\d*[1-9]\d*$/.test(token) && token.length < 17;
}

function keysIn(value) {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum, member) => sum + keysIn(member), own);
}

/** Returns whether all strings of a value are well-formed Unicode. */
function isWellFormed(value) {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/** Returns a text with its numbers as JavaScript writes them. */
function respelled(text) {
  return text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : JSON.stringify(Number(token))));
}

/** Recognises an error by its name, because a package that is imported and required has its class twice. */
function answerOrError(ask) {
  try {
    return ask();
  } catch (error) {
    if (error.name !== "AdjudicateError") throw error;
    return JSON.stringify(error);
  }
}

/** The operations that read a policy, except those that search. */
const DECIDED_BY_POLICY = ["evaluate", "refine"];

/**
 * Compares policies that are baked into the engine, `[name, module]` each, with the engine that is configured with the
 * document in the module.
 */
export async function compareBaked(where, cases, engine, baked) {
  const calls = cases.filter(({ operation }) => DECIDED_BY_POLICY.includes(operation));
  const reports = [];
  for (const [name, module] of baked) {
    const document = await policyOf(module);
    const configured = new WebAssembly.Instance(engine, {});
    const reply = ask(configured, "adjudicate_configure", document);
    if (reply !== '{"ok":null}') throw new Error(`${name}: ${reply}`);
    if ("adjudicate_configure" in new WebAssembly.Instance(module, {}).exports) throw new Error(`${name} can be configured`);
    const expected = calls.map((one) => ({
      ...one,
      answer: answerOf(ask(configured, "adjudicate_call", one.bytes, one.number)),
    }));
    reports.push(compare(`${name}, baked, ${where}`, expected, moduleAnswer(module)));
  }
  return reports;
}

/** The policy document in a module, as bytes. */
async function policyOf(module) {
  const [packed] = WebAssembly.Module.customSections(module, "adjudicate.policy");
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** The answer of a module with policy ABI 1, in a fresh instance for every call as on the native host. */
export function moduleAnswer(module) {
  return ({ number, bytes }) => answerOf(ask(new WebAssembly.Instance(module, {}), "adjudicate_call", bytes, number));
}

/** The text of the reply to a document: of `adjudicate_call` with an operation, of `adjudicate_configure` without one. */
function ask({ exports }, name, bytes, ...operation) {
  const { memory, adjudicate_alloc } = exports;
  const address = adjudicate_alloc(bytes.length) >>> 0;
  if (address === 0) throw new Error(`no room for ${bytes.length} bytes`);
  new Uint8Array(memory.buffer).set(bytes, address);
  const record = exports[name](...operation, address, bytes.length) >>> 0;
  const view = new DataView(memory.buffer);
  const reply = new Uint8Array(memory.buffer, view.getUint32(record, true), view.getUint32(record + 4, true));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(reply);
}

/** The answer in a reply; an error is the reply itself. */
function answerOf(reply) {
  return reply.startsWith('{"ok":') ? reply.slice('{"ok":'.length, -1) : reply;
}

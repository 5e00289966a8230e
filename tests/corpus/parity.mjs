// Compares a face of the engine with the corpus, in Node and in a browser: no import, no global but the standard ones.

/** How many differing answers are shown in full. */
const SHOWN = 3;

/**
 * The corpus as `cargo xtask` bundles it: `[{operation, number, name, call, answer}]`, each call in hexadecimal.
 * Every call becomes its bytes, and its text unless it is not UTF-8.
 */
export function readCorpus(bundle) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return JSON.parse(bundle).map(({ operation, number, name, call, answer }) => {
    const bytes = Uint8Array.from(call.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
    let text = null;
    try {
      text = decoder.decode(bytes);
    } catch {
      // Such a call cannot be written as a JavaScript string.
    }
    return { operation, number, name, bytes, text, answer };
  });
}

/** Asks `answer` for each case and compares; the last line of the report is `N passed, N failed`. */
export function compare(face, cases, answer) {
  const lines = [];
  const different = cases.filter((one) => {
    const actual = answer(one);
    if (actual !== one.answer && lines.length < SHOWN) {
      lines.push(`${one.name}\n  expected ${one.answer}\n  actual   ${actual}`);
    }
    return actual !== one.answer;
  });
  if (different.length > 0) lines.push(`differ: ${different.map((one) => one.name).join(" ")}`);
  lines.push(`${face}:`, `${cases.length - different.length} passed, ${different.length} failed`);
  return { lines, ok: cases.length > 0 && different.length === 0 };
}

/** The npm package's answer to a call as a string. */
export function textAnswer(engine) {
  return ({ operation, text }) => answerOrError(() => engine.callText(operation, text));
}

/** The npm package's answer to a call as bytes, which need not be UTF-8. */
export function bytesAnswer(engine) {
  return ({ operation, bytes }) => answerOrError(() => engine.callText(operation, bytes));
}

/** An error is told by its name: a package that is imported and required has its class twice. */
function answerOrError(ask) {
  try {
    return ask();
  } catch (error) {
    if (error.name !== "AdjudicateError") throw error;
    return JSON.stringify(error);
  }
}

/** The operations that a policy has a say in, but for those that search. */
const DECIDED_BY_POLICY = ["evaluate", "refine"];

/**
 * Compares policies that are baked into the engine, `[name, module]` each, with the engine configured with the document that each of
 * them carries.
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
    const expected = calls.map((one) => ({ ...one, answer: answerOf(ask(configured, "adjudicate_call", one.bytes, one.number)) }));
    reports.push(compare(`${name}, baked, ${where}`, expected, moduleAnswer(module)));
  }
  return reports;
}

/** The policy document that a module carries, as bytes. */
async function policyOf(module) {
  const [packed] = WebAssembly.Module.customSections(module, "adjudicate.policy");
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** The answer of a module of policy ABI 1, in a fresh instance for every call as on the native host. */
export function moduleAnswer(module) {
  return ({ number, bytes }) => answerOf(ask(new WebAssembly.Instance(module, {}), "adjudicate_call", bytes, number));
}

/** The text of the reply to a document: of `adjudicate_call` to an operation, of `adjudicate_configure` without one. */
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

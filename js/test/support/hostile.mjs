/**
 * The corpus of hostile modules, and of unusual ones that a host must run (`host/conformance/hostile/README.md`), in this package's loader.
 * This file runs in Node and in a page.
 */

/**
 * The capabilities in `cases.json` that a host in JavaScript lacks. The platform does not offer them; Node 20 also lacks computed
 * constants.
 */
export const LACKS = [...["fuel", "memory", "effort", "nan", "tables"], ...(computesConstants() ? [] : ["extended-constants"])];

/** Returns true if the platform accepts `(global i32 (i32.add (i32.const 1) (i32.const 1)))`. */
function computesConstants() {
  const global = [0x7f, 0, 0x41, 1, 0x41, 1, 0x6a, 0x0b];
  return WebAssembly.validate(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 6, global.length + 1, 1, ...global]));
}

/**
 * The deadlines for infinite loops, in milliseconds. A deadline suffices if a worker starts within it, so a busy machine may need a later one.
 */
const DEADLINES = [250, 5_000, 60_000];

/** Returns the expected outcome of a case, or null if any outcome is allowed. */
export function expectedOf(corpus, { outcome, without = {} }) {
  const here = LACKS.filter((name) => name in without).map((name) => without[name]);
  const expected = here.length === 0 ? outcome : here.includes(null) ? null : here[0];
  return expected === "answer" ? { ok: corpus.answer } : expected;
}

/** Returns true if a case needs a worker, because only a deadline ends it. */
function needsDeadline(expected) {
  return expected === null || Object.values(expected).includes("module_deadline");
}

/**
 * Runs a case on this thread and in a worker, or once if `isOnce` is true. Returns a list of failures.
 *
 * @param bytesOf The bytes of a module, by the name of its file.
 */
export async function faultsOf(loadModule, corpus, one, bytesOf, isOnce = false) {
  const expected = expectedOf(corpus, one);
  const limits = { ...corpus.limits, ...one.limits };
  const options = { moduleBytes: limits.module_bytes, memoryBytes: limits.memory_bytes, inputBytes: limits.input_bytes, outputBytes: limits.output_bytes };
  const isEndless = needsDeadline(expected);
  const ways = isEndless ? {} : { "on this thread": options };
  if (isEndless || !isOnce) ways["in a worker"] = { ...options, deadlineMs: isEndless ? DEADLINES[0] : DEADLINES.at(-1) };
  const faults = [];
  for (const [way, given] of Object.entries(ways)) {
    const bytes = await bytesOf(one.module);
    let found = await outcomesOf(loadModule, corpus, one, bytes, given);
    // A busy machine may take longer to start a worker than the module may run. A platform may also have no memory for
    // another worker until ended workers are gone. The module causes neither.
    for (const deadlineMs of isEndless && expected !== null ? DEADLINES.slice(1) : []) {
      const { load } = found[0];
      if (load === expected.load || (load !== "module_deadline" && load !== "host_fault")) break;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      found = await outcomesOf(loadModule, corpus, one, bytes, { ...given, deadlineMs });
    }
    for (const { message, ...outcome } of expected === null ? [] : found) {
      if (JSON.stringify(outcome) !== JSON.stringify(expected)) {
        faults.push(`${one.name}, ${way}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(outcome)}: ${message}`);
      }
    }
  }
  return faults;
}

async function outcomesOf(loadModule, corpus, one, bytes, options) {
  let module;
  try {
    module = await loadModule(bytes, options);
  } catch (error) {
    return [{ load: error.code ?? String(error), message: error.message }];
  }
  const text = one.input ?? corpus.input;
  const input = text.padEnd(text.length + Math.max(0, (one.pad_to ?? 0) - new TextEncoder().encode(text).length));
  const outcomes = [];
  for (let call = 0; call < (one.calls ?? 1); call++) {
    try {
      outcomes.push({ ok: await module.callText(one.operation ?? corpus.operation, input) });
    } catch (error) {
      outcomes.push({ call: error.code ?? String(error), message: error.message });
    }
  }
  module.dispose();
  return outcomes;
}

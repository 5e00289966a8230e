// The most bytes of each part of the package: the present sizes plus a small margin, so that you decide about growth.
//
// The engine with all operations should have at most 200,000 bytes with brotli, and that of pages 180,000. They have more
// than that, so these goals are missed. These budgets prevent further growth; lower them when the engine gets smaller.

/**
 * Sizes with brotli at its strongest, except the packed npm package. Scripts are bundled and minified, without the
 * WebAssembly.
 */
export const BUDGETS = {
  "engine.wasm of the module interface": 480_000,
  "adjudicate/engine.wasm": 553_000,
  "adjudicate/evaluate.wasm": 280_000,
  "adjudicate, with its WebAssembly": 719_500,
  adjudicate: 16_900,
  "adjudicate/slim": 16_900,
  "adjudicate/evaluate": 9_600,
  "adjudicate/run": 2_800,
  "adjudicate/ai": 10_000,
  "adjudicate/openai": 10_300,
  "adjudicate/langchain": 10_700,
  "adjudicate/agent-hooks": 10_900,
  "adjudicate/collect": 6_600,
  "adjudicate/collect, its WebAssembly": 326_000,
  "adjudicate/verdict": 3_200,
  "npx adjudicate, its WebAssembly": 1_380_000,
  "adjudicate on workerd": 16_900,
  "adjudicate on edge runtimes": 16_900,
  "adjudicate, required": 18_000,
  "adjudicate/slim, required": 18_000,
  "adjudicate/evaluate, required": 10_400,
  "adjudicate/run, required": 3_200,
  "adjudicate/ai, required": 10_800,
  "adjudicate/openai, required": 11_000,
  "adjudicate/langchain, required": 11_400,
  "adjudicate/agent-hooks, required": 11_700,
  "adjudicate/collect, required": 7_150,
  "adjudicate/verdict, required": 3_600,
  "adjudicate/worker.js": 1_200,
  "the package, packed": 5_750_000,
};

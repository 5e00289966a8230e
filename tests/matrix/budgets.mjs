// How many bytes each part of the package may have: the present sizes with little room, so that growth is somebody's decision.
//
// The engine with all operations is meant to have at most 200,000 bytes by brotli. It has more than twice as many: that aim is
// missed. These numbers keep it from growing further, and come down with it.

/** By brotli at its strongest, but for the package as npm packs it. Scripts are bundled and minified, without the WebAssembly. */
export const BUDGETS = {
  "engine.wasm of the module interface": 455_000,
  "adjudicate/engine.wasm": 491_000,
  "adjudicate, with its WebAssembly": 643_000,
  adjudicate: 16_900,
  "adjudicate/slim": 16_900,
  "adjudicate/ai": 9_000,
  "adjudicate on workerd": 16_900,
  "adjudicate on edge runtimes": 16_900,
  "adjudicate, required": 18_000,
  "adjudicate/slim, required": 18_000,
  "adjudicate/ai, required": 9_700,
  "adjudicate/worker.js": 1_200,
  "the package, packed": 2_515_000,
};

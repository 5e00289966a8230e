/** The engine of the page. */
import { createEngine, type Engine } from "adjudicate/slim";
import engineUrl from "adjudicate/engine.wasm?url";

import { ENGINE } from "./timings.js";

/** Loads the engine from its own file, and measures the time. */
export async function loadEngine(): Promise<Engine> {
  const start = performance.now();
  const engine = await createEngine(fetch(engineUrl));
  performance.measure(ENGINE, { start, end: performance.now() });
  return engine;
}

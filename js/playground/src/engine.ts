/** The engine of the page. */
import { createEngine, type Engine } from "adjudicate/slim";
import engineUrl from "adjudicate/engine.wasm?url";

import { ENGINE } from "./timings.js";

/** Loads the engine, as a file of its own that compiles while it arrives, and measures how long that takes. */
export async function loadEngine(): Promise<Engine> {
  const start = performance.now();
  const engine = await createEngine(fetch(engineUrl));
  performance.measure(ENGINE, { start, end: performance.now() });
  return engine;
}

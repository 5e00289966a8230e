/** The engine, and what it is measured by. */
import { AdjudicateError, createEngine, type Engine } from "adjudicate/slim";
import engineUrl from "adjudicate/engine.wasm?url";

import type { Fault } from "./editor/place.js";

/** How long things took, in milliseconds. */
export interface Timings {
  readonly engine: number;
  readonly firstDecision: number | undefined;
}

/** Names of the measurements, as `performance.getEntriesByName` knows them. */
const ENGINE = "engine";
const FIRST_DECISION = "first decision";

/** Loads the engine, as a file of its own that compiles while it arrives, and measures how long that takes. */
export async function loadEngine(): Promise<Engine> {
  const start = performance.now();
  const engine = await createEngine(fetch(engineUrl));
  performance.measure(ENGINE, { start, end: performance.now() });
  return engine;
}

/** Measures a decision, if it is the first one. */
export function measureDecision(start: number, end: number): void {
  if (performance.getEntriesByName(FIRST_DECISION).length === 0) performance.measure(FIRST_DECISION, { start, end });
}

/** What was measured. */
export function timings(): Timings {
  const [engine] = performance.getEntriesByName(ENGINE);
  const [first] = performance.getEntriesByName(FIRST_DECISION);
  return { engine: engine?.duration ?? 0, firstDecision: first?.duration };
}

/** What the engine says where there is no answer. Anything else that is thrown is a fault of the page. */
export function faultOf(thrown: unknown): Fault {
  if (!(thrown instanceof AdjudicateError)) throw thrown;
  const { code, message, path } = thrown;
  return { code, message, path };
}

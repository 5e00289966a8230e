/** The measured times, as entries of the browser's timeline. Tests and tools read them there. */

/** The names of the entries. */
export const ENGINE = "engine";
const FIRST_DECISION = "first decision";

/** Times in milliseconds. */
export interface Timings {
  readonly engine: number | undefined;
  readonly firstDecision: number | undefined;
}

/** Measures a decision, if it is the first one. */
export function measureDecision(milliseconds: number): void {
  if (performance.getEntriesByName(FIRST_DECISION).length === 0) performance.measure(FIRST_DECISION, { end: performance.now(), duration: milliseconds });
}

/** Returns the measured times. */
export function timings(): Timings {
  const [engine] = performance.getEntriesByName(ENGINE);
  const [first] = performance.getEntriesByName(FIRST_DECISION);
  return { engine: engine?.duration, firstDecision: first?.duration };
}

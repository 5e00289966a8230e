/** A module with an infinite loop, in a worker. */
import { LOOP, module as wasm } from "./wasm.mjs";

/** Deadlines in milliseconds, the shortest first. */
const DEADLINES = [5, 50, 500, 5_000, 60_000];

/**
 * Loads the module with the first deadline that suffices. Its calls never end, but its start is short and has the same
 * deadline. On a busy machine the start takes longer.
 */
export async function loadEndless(loadModule) {
  for (const deadlineMs of DEADLINES) {
    try {
      return await loadModule(wasm({ body: LOOP }), { deadlineMs });
    } catch (error) {
      if (error.code !== "module_deadline") throw error;
    }
  }
  throw new Error(`the module did not even start in ${DEADLINES.at(-1)} ms`);
}

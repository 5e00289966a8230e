/** A module that runs for ever, in a worker. */
import { LOOP, module as wasm } from "./wasm.mjs";

/** In milliseconds, the shortest first. */
const DEADLINES = [5, 50, 500, 5_000, 60_000];

/**
 * Loads it with the first deadline that will do: its calls take any time, but its start, which has the same deadline, is short, and
 * on a busy machine takes longer.
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

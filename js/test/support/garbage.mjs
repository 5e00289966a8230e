/** Garbage collection on request, with finalizers. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Collects garbage, and waits for the finalizers. */
export async function collectGarbage() {
  collect();
  // Finalizers run in later tasks.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
}

/** Garbage collection on request, and the finalisers that it leads to. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Collects what nobody refers to, and waits until its finalisers have run. */
export async function collectGarbage() {
  collect();
  // Finalisers run in tasks of their own, after this one.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
}

/** The worker of a page. */

/** Creates the worker from the file next to this one. Bundlers recognize exactly this expression and copy the file. */
export function createWorker(): Worker {
  return new Worker(new URL("./worker.js", import.meta.url));
}

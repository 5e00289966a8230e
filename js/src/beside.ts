/** Where a page has the script of its workers: in the file beside this one. */

/** Starts a worker. In these words, for bundlers look for them, and bring the file along. */
export function workerBeside(): Worker {
  return new Worker(new URL("./worker.js", import.meta.url));
}

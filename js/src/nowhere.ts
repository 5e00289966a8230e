/**
 * What Parcel takes in the place of `beside.ts` (`alias` in package.json). It would find the file by an import map in the
 * document, and where a policy of script sources forbids that, the page would not even load the rest of the package.
 */

/** Starts no worker. */
export function workerBeside(): Worker {
  throw new Error("this bundler has left its script behind");
}

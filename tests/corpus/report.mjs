// Reads the corpus and prints reports of `compare`, in Node.

import { readFileSync } from "node:fs";

import { readCorpus } from "./parity.mjs";

/** The corpus of the bundle that the environment names. */
export function corpus() {
  return readCorpus(readFileSync(process.env.ADJUDICATE_CORPUS, "utf8"));
}

/**
 * Prints the reports, and the number of fixtures that every interface answered as expected. The process fails if a
 * fixture failed, or if an interface compared nothing.
 */
export function finish(cases, reports) {
  for (const { face, compared, different, lines } of reports) {
    console.log([`${face}: ${compared} answers, ${different.length} differ`, ...lines].join("\n"));
  }
  const failed = new Set(reports.flatMap(({ different }) => different)).size;
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && cases.length > 0 && reports.every(({ ok }) => ok) ? 0 : 1;
}

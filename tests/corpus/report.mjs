// Reads the corpus and prints reports of `compare`, in Node.

import { readFileSync } from "node:fs";

import { readCorpus } from "./parity.mjs";

/** The corpus whose bundle is named in the environment. */
export function corpus() {
  return readCorpus(readFileSync(process.env.ADJUDICATE_CORPUS, "utf8"));
}

/** Prints the reports; the process fails unless all are good. */
export function finish(...reports) {
  for (const report of reports) console.log(report.lines.join("\n"));
  process.exitCode = reports.every((report) => report.ok) ? 0 : 1;
}

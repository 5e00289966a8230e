/** The corpus: the calls of `fixtures/` and their answers, in the lines that `cargo xtask test` writes from them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";

import { readLines } from "../../../tests/corpus/parity.mjs";
import { root } from "./installed.mjs";

const file = env.ADJUDICATE_CORPUS ?? join(root, "..", "target", "xtask", "corpus.ndjson");
const cases = readLines(readFileSync(file, "utf8"));

/** The cases of an operation or of `compose`: `{ name, text, call, answer }`. A text that is not JSON has no `call`. */
export function corpusOf(operation) {
  const found = cases.filter((one) => one.operation === operation);
  return found.map(({ name, text, bytes, answer }) => {
    return { name, text: Buffer.from(bytes), call: jsonIn(text), answer: JSON.parse(answer) };
  });
}

function jsonIn(text) {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** The corpus: the calls of `fixtures/` and their answers. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { root } from "./installed.mjs";

const ANSWER = /\.answer\.json$/;

/** The cases of an operation: `{ name, text, call, answer }`. A text that is not JSON has no `call`. */
export function corpusOf(operation) {
  const folder = join(root, "..", "fixtures", operation);
  const names = readdirSync(folder).filter((file) => ANSWER.test(file));
  return names.map((file) => {
    const name = file.replace(ANSWER, "");
    const text = readFileSync(join(folder, `${name}.json`));
    return { name, text, call: jsonIn(text), answer: JSON.parse(readFileSync(join(folder, file), "utf8")) };
  });
}

function jsonIn(text) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    return undefined;
  }
}

// Writes the corpus to one JSON file, which the scripts in Node and in a page read: `node bundle.mjs FILE`.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { NUMBERS } from "../../js/test/support/abi.mjs";

const ANSWER = ".answer.json";
const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** A string of JSON text, or white space outside of one. */
const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|\s+/g;

function* cases() {
  for (const [operation, number] of Object.entries(NUMBERS)) {
    const folder = join(fixtures, operation);
    const files = new Set(readdirSync(folder));
    for (const file of files) {
      if (!file.endsWith(".json") || file.endsWith(ANSWER)) continue;
      const name = file.slice(0, -".json".length);
      if (!files.has(name + ANSWER)) throw new Error(`\`${name}\` has no answer: run \`cargo xtask bless ${name}\``);
      // A call need not be text.
      const call = readFileSync(join(folder, file)).toString("hex");
      const answer = readFileSync(join(folder, name + ANSWER), "utf8").replace(STRING_OR_SPACE, "$1");
      yield { operation, number, name, call, answer };
    }
  }
}

const [, , file] = process.argv;
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify([...cases()]));

/** Files of the repository, for the tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createEngineSync, type Engine } from "adjudicate";

import { readCases } from "../../build/corpus.js";
import { DOCUMENTS, readTypes } from "../../build/types.js";
import { Answers } from "../../src/answers.js";
import type { Language } from "../../src/editor/shape.js";
import { Judge } from "../../src/judge.js";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
export const fixtures = join(root, "fixtures");

/** Returns the texts of the corpus calls of an operation, by the names of their cases. */
export function callsOf(operation: string): Map<string, string> {
  const cases = readCases().filter((one) => one.operation === operation);
  return new Map(cases.map(({ name, call }) => [name, call]));
}

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Returns the data of completion, as the build makes it. */
export function language(): Language & { readonly documents: readonly string[] } {
  const declarations = join(root, "js", "playground", "node_modules", "adjudicate", "dist", "generated", "types.d.ts");
  return { types: readTypes(declarations), documents: DOCUMENTS, ...JSON.parse(read("js/playground/build/vocabulary.json")) };
}

export const engine = createEngineSync();

/** Returns the answers of the page, by an engine on this thread. */
export function answersOf(engine: Engine): Answers {
  const judge = new Judge(engine);
  return new Answers(async (name, argument) => judge[name](argument as never) as never);
}

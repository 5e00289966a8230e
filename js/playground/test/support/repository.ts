/** Where tests find what they are about. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createEngineSync } from "adjudicate";

import { DOCUMENTS, readTypes } from "../../build/types.js";
import { readFacts, readOperators } from "../../build/vocabulary.js";
import type { Language } from "../../src/editor/shape.js";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
export const fixtures = join(root, "fixtures");

/** The texts of the calls of an operation that the corpus holds, by the names of their files. */
export function callsOf(operation: string): Map<string, string> {
  const folder = join(fixtures, operation);
  const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(".answer.json"));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** What completion knows, as the build makes it. */
export function language(): Language & { readonly documents: readonly string[] } {
  const declarations = join(root, "js", "playground", "node_modules", "adjudicate", "dist", "generated", "types.d.ts");
  return {
    types: readTypes(declarations),
    documents: DOCUMENTS,
    operators: readOperators(read("core/lang/src/logic/operator.rs")),
    facts: readFacts(read("core/FACTS.md")),
  };
}

export const engine = createEngineSync();

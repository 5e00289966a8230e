/** The cases of the corpus, in the lines that `cargo xtask` writes from `fixtures/`. */
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

export interface Case {
  readonly operation: string;
  readonly name: string;
  readonly call: string;
  /** The answer on one line, as the engine writes it. */
  readonly answer: string;
}

/** The file of the lines. */
export const corpus = env["ADJUDICATE_CORPUS"] ?? fileURLToPath(new URL("../../../target/xtask/corpus.ndjson", import.meta.url));

let cases: readonly Case[] | undefined;

/** Returns the cases whose calls are texts. */
export function readCases(): readonly Case[] {
  const isText = ({ call }: { call: unknown }): boolean => typeof call === "string";
  const lines = (): string[] => readFileSync(corpus, "utf8").trimEnd().split("\n");
  cases ??= lines().map((line) => JSON.parse(line) as Case).filter(isText);
  return cases;
}

/** Returns the case of an operation, for example `evaluate/run-docs-only-clean`. */
export function findCase(reference: string): Case {
  const found = readCases().find(({ operation, name }) => `${operation}/${name}` === reference);
  if (found === undefined) throw new Error(`no case \`${reference}\``);
  return found;
}

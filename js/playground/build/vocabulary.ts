/** The words of conditions, read from the tables that the engine's own are made of. */
import type { Term } from "../src/editor/shape.js";

/** Rows of the table of operators: `reference Less = "<" 2..3 (ORDERED) -> BOOL, "whether ..."`. */
const OPERATOR = /^ {4}(?:reference|extension) \w+ = "([^"]+)" (\d+)\.\.(\d*) \(.*\) -> (\w+),\s+"([^"]+)";/gm;
/** Rows of the table of facts: `| name | is | what it says | unknown when |`. */
const FACT = /^\| `([a-z_.]+)` \| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \|$/gm;

/** The operators, from the source of `core/lang/src/logic/operator.rs`. */
export function readOperators(source: string): Term[] {
  const terms = [...source.matchAll(OPERATOR)].map(([, name = "", least = "", most = "", , about = ""]) => {
    const count = least === most ? least : most === "" ? `${least} or more` : `${least} to ${most}`;
    return { name, form: `${count} ${count === "1" ? "operand" : "operands"}`, about };
  });
  const rows = source.match(/^ {4}(?:reference|extension) /gm)?.length ?? 0;
  if (terms.length === 0 || terms.length !== rows) throw new Error(`${terms.length} of ${rows} operators could be read`);
  return terms;
}

/** The facts, from `core/FACTS.md`. */
export function readFacts(page: string): Term[] {
  const terms = [...page.matchAll(FACT)].map(([, name = "", is = "", says = "", unknown = ""]) => {
    return { name: `facts.${name}`, form: is, about: unknown === "never" ? says : `${says}; unknown when ${unknown}` };
  });
  const rows = page.match(/^\| `/gm)?.length ?? 0;
  if (terms.length === 0 || terms.length !== rows) throw new Error(`${terms.length} of ${rows} facts could be read`);
  return terms;
}

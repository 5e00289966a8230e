/** The variables that conditions can read, with their state and value for the documents on the page. */
import type { Input, KnownFacts } from "adjudicate/slim";

import type { Fault } from "./editor/json-text.js";
import type { Language, Term } from "./editor/shape.js";
import type { Documents } from "./judge.js";
import { shown } from "./json.js";

/** The most fields of the envelope that are listed. A longer list would not help. */
const MAX_FIELDS = 300;

/** Returns the facts of an envelope under a policy, or an error. */
export type FactsOf = (documents: Documents) => Promise<KnownFacts | Fault>;

/**
 * Lists variables under one policy. The engine answers `facts` when the list is needed and a document has changed.
 *
 * While you write a condition, the policy is invalid most of the time. The last valid policy then stays in use.
 */
export class Variables {
  readonly #factsOf: () => FactsOf | undefined;
  /** The facts and the parameters, by name. */
  readonly #documented: ReadonlyMap<string, Term>;
  #validPolicy = "";
  /** The documents of the current list. */
  #documents: Documents | undefined;
  #terms: Promise<readonly Term[]>;

  /** @param factsOf Returns the function, or `undefined` while the engine loads. */
  constructor(language: Language, factsOf: () => FactsOf | undefined) {
    this.#factsOf = factsOf;
    const terms = [...language.facts, ...parametersOf(language)];
    this.#documented = new Map(terms.map((term) => [term.name, term]));
    this.#terms = Promise.resolve(terms);
  }

  /** Returns the variables for these texts. Without a valid envelope, they have no state. */
  terms(envelope: string, policy: string): Promise<readonly Term[]> {
    const factsOf = this.#factsOf();
    if (factsOf === undefined) return this.#terms;
    if (envelope !== this.#documents?.envelope || policy !== this.#documents.policy) {
      this.#documents = { envelope, policy };
      this.#terms = this.#read(factsOf, this.#documents);
    }
    return this.#terms;
  }

  async #read(factsOf: FactsOf, { envelope, policy }: Documents): Promise<Term[]> {
    const terms = new Map(this.#documented);
    let known = await factsOf({ envelope, policy });
    if ("variables" in known) this.#validPolicy = policy;
    // The views report the errors of both documents.
    else known = await factsOf({ envelope, policy: this.#validPolicy });
    if (!("variables" in known)) return [...terms.values()];
    for (const input of known.variables) {
      const term = terms.get(input.variable) ?? { name: input.variable, form: "", about: "" };
      terms.set(input.variable, { ...term, now: nowOf(input) });
    }
    // `facts` lists the variables of the policy's conditions, but a new condition can read any field.
    for (const term of fieldsOf(JSON.parse(envelope))) if (!terms.has(term.name)) terms.set(term.name, term);
    return [...terms.values()];
  }
}

function nowOf({ state, value }: Input): string {
  return state === "known" ? shown(value) : state === "omitted" ? "known, but too large to show" : "unknown";
}

function parametersOf(language: Language): Term[] {
  const shape = language.types["Parameters"];
  if (shape?.is !== "object") return [];
  return Object.entries(shape.fields).map(([name, { about }]) => ({ name: `parameters.${name}`, form: "a number", about }));
}

/** Returns the fields of an envelope, as conditions name them. */
function fieldsOf(envelope: unknown): Term[] {
  const terms: Term[] = [];
  const open: (readonly [path: string, value: unknown])[] = [["input", envelope]];
  for (const [path, value] of open) {
    if (terms.length >= MAX_FIELDS) break;
    terms.push({ name: path, form: kindOf(value), about: "" });
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    // A path cannot express a dot in a name.
    for (const [name, field] of Object.entries(value)) if (!name.includes(".")) open.push([`${path}.${name}`, field]);
  }
  return terms;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

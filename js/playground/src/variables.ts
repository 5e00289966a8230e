/** The variables that conditions can read, with their state and value for the documents on the page. */
import type { Engine, Input, KnownFacts, Policy } from "adjudicate/slim";

import type { Language, Term } from "./editor/shape.js";
import { shown } from "./json.js";

/** The most fields of the envelope that are listed. A longer list would not help. */
const MAX_FIELDS = 300;

/**
 * Lists variables under one policy. The engine answers `facts` when the list is needed and a document has changed.
 *
 * While you write a condition, the policy is invalid most of the time. The last valid policy then stays in use.
 */
export class Variables {
  readonly #engine: () => Engine | undefined;
  /** The facts and the parameters, by name. */
  readonly #documented: ReadonlyMap<string, Term>;
  #policy: Policy | undefined;
  /** The documents of the current list. */
  #texts: { readonly envelope: string; readonly policy: string } | undefined;
  #terms: readonly Term[];

  /** @param engine Returns the engine, or `undefined` while it loads. */
  constructor(language: Language, engine: () => Engine | undefined) {
    this.#engine = engine;
    this.#terms = [...language.facts, ...parametersOf(language)];
    this.#documented = new Map(this.#terms.map((term) => [term.name, term]));
  }

  /** Returns the variables for these texts. Without a valid envelope, they have no state. */
  terms(envelope: string, policy: string): readonly Term[] {
    const engine = this.#engine();
    if (engine === undefined) return this.#terms;
    if (envelope !== this.#texts?.envelope || policy !== this.#texts.policy) {
      if (policy !== this.#texts?.policy) this.#setPolicy(engine, policy);
      this.#texts = { envelope, policy };
      this.#terms = this.#read(engine, envelope);
    }
    return this.#terms;
  }

  #setPolicy(engine: Engine, text: string): void {
    let parsed: Policy | undefined;
    try {
      parsed = text.trim() === "" ? undefined : engine.policyText(text);
    } catch {
      // The check of the policy reports the error.
      return;
    }
    this.#policy?.free();
    this.#policy = parsed;
  }

  #read(engine: Engine, envelope: string): Term[] {
    const terms = new Map(this.#documented);
    let known: KnownFacts;
    try {
      known = JSON.parse((this.#policy ?? engine).factsText(envelope)) as KnownFacts;
    } catch {
      // The evaluation of the envelope reports the error.
      return [...terms.values()];
    }
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

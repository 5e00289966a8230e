/** What a document may consist of, as the build reads it from the package's types. */
export type Shape =
  | { readonly is: "any" | "text" | "number" | "boolean" | "null" | "expression" }
  | { readonly is: "word"; readonly words: readonly string[] }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "object"; readonly members: Readonly<Record<string, Member>>; readonly others?: Shape }
  | { readonly is: "either"; readonly any: readonly Shape[] }
  | { readonly is: "type"; readonly name: string };

/** A member of an object. */
export interface Member {
  readonly shape: Shape;
  /** What it is, in one line. */
  readonly about: string;
  readonly isOptional?: true;
}

/** A word that conditions are made of. */
export interface Term {
  readonly name: string;
  /** What it takes or is, in a few words. */
  readonly form: string;
  readonly about: string;
}

/** All that completion knows beside the document itself. */
export interface Language {
  readonly types: Readonly<Record<string, Shape>>;
  readonly operators: readonly Term[];
  readonly facts: readonly Term[];
}

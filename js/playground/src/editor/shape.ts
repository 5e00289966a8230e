/** The shapes of documents, which the build reads from the package's types. */
export type Shape =
  | { readonly is: "any" | "text" | "number" | "boolean" | "null" | "expression" }
  | { readonly is: "word"; readonly words: readonly string[] }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "object"; readonly fields: Readonly<Record<string, ShapeField>>; readonly others?: Shape }
  | { readonly is: "either"; readonly any: readonly Shape[] }
  | { readonly is: "type"; readonly name: string };

/** A field of an object. */
export interface ShapeField {
  readonly shape: Shape;
  /** The meaning, in one line. */
  readonly about: string;
  readonly isOptional?: true;
}

/** An operator or a variable of conditions. */
export interface Term {
  readonly name: string;
  /** The operands or the type, in a few words. */
  readonly form: string;
  readonly about: string;
  /** The value for the documents on the page, or the reason why none is shown. */
  readonly now?: string;
}

/** The types, operators and facts that completion offers. */
export interface Language {
  readonly types: Readonly<Record<string, Shape>>;
  readonly operators: readonly Term[];
  readonly facts: readonly Term[];
}

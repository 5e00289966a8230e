declare module "virtual:examples" {
  const examples: import("./example.js").Examples;
  export default examples;
}

declare module "virtual:language" {
  const language: import("./editor/shape.js").Language;
  export default language;
}

declare module "virtual:rules" {
  /** The addresses of the pages about built-in rules, by their names. */
  const rules: Readonly<Record<string, string>>;
  export default rules;
}

declare module "virtual:engine" {
  /** The address of the engine's file. */
  export const url: string;
  /** True if the file is compressed, as `deflate-raw`. */
  export const isCompressed: boolean;
}

declare module "*.css";

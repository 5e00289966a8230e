/**
 * Converts the declarations of wasm-bindgen to the public declarations.
 *
 * The types of inputs are generated (`wasm/src/documents.d.ts`). tsify derives those of most answers from the engine's types. Three rules of this
 * file correct what tsify cannot express.
 */

/** The answers that become part of the next envelope, where they may have `x-` fields. */
const EXTENSIBLE = ["HistoryEntry", "RefinementCount"];

/** A doc comment with the `export type` or `export interface` that it belongs to. */
const DECLARATION = /(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:interface|type) (\w+)[^]*?\n(?=\n|$)/g;

/** Returns the declarations of all types, in the order of their names, without functions and classes. */
export function declarations(bindings) {
  const text = bindings.replaceAll("\r\n", "\n");
  const types = new Map();
  for (const [source, name] of text.matchAll(DECLARATION)) types.set(name, withoutNull(withoutRust(source)));
  for (const name of EXTENSIBLE) {
    if (!types.has(name)) throw new Error(`missing declaration of \`${name}\``);
    types.set(name, withExtensions(types.get(name)));
  }
  const sorted = [...types].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, source]) => source).join("\n");
}

/** Removes `null` from optional fields of answers: such a field is absent, and never null. */
function withoutNull(source) {
  return source.replaceAll(/(\?: .*) \| null;/g, "$1;");
}

/** Removes the examples in Rust. */
function withoutRust(source) {
  return source.replaceAll(/( *\*\n)? *\* ```[^]*?\* ```\n/g, "");
}

/** Adds fields whose names begin with `x-`. The engine ignores them. */
function withExtensions(source) {
  return source.replace(/\}\n$/, "    /** Extensions: carried, and ignored by the engine. */\n    [extension: `x-${string}`]: unknown;\n}\n");
}

/**
 * From the declarations that wasm-bindgen writes to those that users read.
 *
 * tsify derives the types from the engine's own wire types; what it cannot know of them is put right here, for all
 * types by the same four rules.
 */

/** The documents that users write: in them, and in all that is part of them, `x-` members are allowed. */
const WRITTEN = [
  "EvaluateCall",
  "RefineCall",
  "ValidatePlanCall",
  "MergeDiagnosticsCall",
  "ObserveOutputCall",
  "ApplyGuardrailsCall",
  "NormalizePlanCall",
  "VerifyReplayCall",
  "Ledger",
  "CheckPolicyCall",
  "ExplainCall",
  "Envelope",
  "PolicyDocument",
  // What the engine answers with the extensions of what was asked.
  "PolicyTriggered",
  // What the engine answers for users to put into an envelope.
  "HistoryEntry",
  "RefinementCount",
];

/** The objects that carry members of any name: OA06 section 2 names the least that they have. */
const OPEN = ["Validation"];

/** Documents that may stand in those and are the engine's own: what it answers has no such members. */
const ANSWERED = ["Evaluation", "PreviousPayload"];

/** A doc comment with the `export type` or `export interface` that it belongs to. */
const DECLARATION = /(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (interface|type) (\w+)[^]*?\n(?=\n|$)/g;

/** The declarations of all types, in the order of their names; functions and classes are left out. */
export function declarations(bindings) {
  const text = bindings.replaceAll("\r\n", "\n");
  const types = new Map();
  for (const [source, kind, name] of text.matchAll(DECLARATION)) {
    types.set(name, { kind, source: withoutNull(withoutRust(source)) });
  }
  for (const name of reachable(types, WRITTEN, ANSWERED)) {
    const type = types.get(name);
    if (type.kind === "interface") type.source = OPEN.includes(name) ? withMembers(type.source) : withExtensions(type.source);
  }
  const sorted = [...types.entries()].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, { source }]) => source).join("\n");
}

/** The names of the types that are mentioned, directly or not, by those named, and not only by those excepted. */
function reachable(types, names, except) {
  const found = new Set();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (!types.has(name)) throw new Error(`no type \`${name}\` among the declarations`);
    if (found.has(name) || except.includes(name)) continue;
    found.add(name);
    const code = types.get(name).source.replaceAll(/\/\*\*[^]*?\*\//g, "");
    const mentioned = code.match(/\b[A-Z]\w+/g) ?? [];
    open.push(...mentioned.filter((other) => types.has(other)));
  }
  return found;
}

/** An optional member of the engine's types may be left out, but not be null: `Nullable<T>` marks those that may. */
function withoutNull(source) {
  return source.replaceAll(/(\?: .*) \| null;/g, "$1;");
}

/** Examples in Rust help nobody here. */
function withoutRust(source) {
  return source.replaceAll(/( *\*\n)? *\* ```[^]*?\* ```\n/g, "");
}

/** Any member may be added to an object that is open, and is ignored; a misspelt one is the engine's to refuse. */
function withMembers(source) {
  return source.replace(/\}\n$/, "    /** Other members: carried by the author, ignored by the engine. */\n    [member: string]: unknown;\n}\n");
}

/** Members that begin with `x-` may be added to any object with declared members, and are ignored. */
function withExtensions(source) {
  return source.replace(/\}\n$/, "    /** Extensions: carried by the author, ignored by the engine. */\n    [extension: `x-${string}`]: unknown;\n}\n");
}

/**
 * Codecs and transports.
 *
 * A codec converts documents to UTF-8 and answers back, as values or as JSON text. A transport sends a call to an engine, a parsed policy
 * or a module.
 */
import type { OperationName } from "./generated/types.js";
import { own } from "./own.js";
import type { Policy } from "./policy.js";
import { policies } from "./policy-handle.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { kindOf, wrongUsage } from "./usage.js";
import { BARE_OPERATIONS, DOCUMENTS, FLAGS } from "./words.js";

/** The conversion of documents and answers. */
export interface Codec<Document, Answer> {
  /** Returns the UTF-8 of a document. `within` is a prefix of error messages that names the document. */
  readonly encode: (document: Document, within?: string) => Uint8Array;
  /** Converts the text of an answer. */
  readonly decode: (answer: string) => Answer;
}

/** Values in, a value out. */
export function values<Answer>(): Codec<unknown, Answer> {
  return { encode: jsonOf, decode: (answer) => JSON.parse(answer) as Answer };
}

/** JSON text in, JSON text out. */
export const TEXT: Codec<JsonText, string> = { encode: utf8, decode: (answer) => answer };

/** The way to an engine, an engine under a parsed policy, or a module. A transport to a worker returns promises. */
export interface Transport<Text extends string | Promise<string> = string> {
  call(operation: OperationName, input: Uint8Array): Text;
  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array;
}

/** The documents and flags of a call by their names. An absent name is an absent document. The policy may be a parsed policy. */
export type CallDocuments<Document> = { readonly [Name in (typeof DOCUMENTS)[number]]?: Document | Policy } & {
  readonly [Name in (typeof FLAGS)[number]]?: unknown;
};

/** Sends separate documents as one call, and decodes the answer. Returns a promise if the transport is asynchronous. */
export function sendDocuments<Document, Answer>(
  transport: Transport<string | Promise<string>>,
  operation: OperationName,
  codec: Codec<Document, Answer>,
  call: CallDocuments<Document>,
): Answer {
  const documents: [string, Uint8Array][] = [];
  const given = own(call);
  const parsed = policies.of(given.policy);
  if (parsed !== undefined && parsed.instance === transport) {
    const { policy: _, ...rest } = given;
    return sendDocuments(parsed, operation, codec, rest as CallDocuments<Document>);
  }
  for (const name of DOCUMENTS) {
    if (!(name in given)) continue;
    // An error message that names no document is about the envelope.
    const within = name === "envelope" ? "" : `${name}: `;
    // A module or another engine parses the document again.
    const isParsed = name === "policy" && parsed !== undefined;
    documents.push([name, isParsed ? parsed.requireDocument() : codec.encode(given[name] as Document, within)]);
  }
  for (const name of FLAGS) if (isSet(name, given[name])) documents.push([name, jsonOf(true)]);
  const [first, ...more] = documents;
  const isBare = first?.[0] === "envelope" && more.length === 0 && BARE_OPERATIONS.includes(operation);
  return decoded(transport.call(operation, isBare ? first[1] : transport.join(documents)), codec);
}

/** Sends a call that is one document, and decodes the answer. Returns a promise if the transport is asynchronous. */
export function sendCall<Document, Answer>(
  transport: Pick<Transport<string | Promise<string>>, "call">,
  operation: OperationName,
  codec: Codec<Document, Answer>,
  call: Document,
): Answer {
  return decoded(transport.call(operation, codec.encode(call)), codec);
}

/** The types of a module in a worker turn its answers into promises (`module.ts`), so the cast is correct for a promise, too. */
function decoded<Answer>(text: string | Promise<string>, codec: Codec<never, Answer>): Answer {
  return typeof text === "string" ? codec.decode(text) : (text.then(codec.decode) as Answer);
}

function isSet(name: string, flag: unknown): boolean {
  if (flag === undefined || typeof flag === "boolean") return flag ?? false;
  throw wrongUsage(`\`${name}\` is true or false, found ${kindOf(flag)}`);
}

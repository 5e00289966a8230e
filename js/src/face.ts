/**
 * Asking: from documents to the input of a call, from its answer to what the caller gets.
 *
 * Everything can be asked in two forms, values in and values out or JSON text in and JSON text out, of an engine or of
 * a parsed policy. What is asked is the same, and stands here once: a face says how documents come in and answers go
 * out, an asker who answers.
 */
import type { OperationName } from "./generated/types.js";
import { own } from "./own.js";
import { jsonOf } from "./strict.js";
import { utf8, type JsonText } from "./text.js";
import { kindOf, wrongUsage } from "./usage.js";

/** How documents come in, and how the answer goes out. */
export interface Face<Document, Answer> {
  /** The UTF-8 of a document; `within` begins the message of an error, where another document could be meant. */
  readonly write: (document: Document, within?: string) => Uint8Array;
  /** What the caller gets for the text of an answer. */
  readonly read: (answer: string) => Answer;
}

/** Values in, a value out. */
export function values<Answer>(): Face<unknown, Answer> {
  return { write: jsonOf, read: (answer) => JSON.parse(answer) as Answer };
}

/** JSON text in, JSON text out. */
export const TEXT: Face<JsonText, string> = { write: utf8, read: (answer) => answer };

/** Who answers: an engine, an engine under a parsed policy, or a module; that in a worker answers later. */
export interface Asker<Text extends string | Promise<string> = string> {
  call(operation: OperationName, input: Uint8Array): Text;
  join(documents: readonly (readonly [name: string, text: Uint8Array])[]): Uint8Array;
}

/** What is asked: the documents of a call, each apart, by the names that they have in it. What is there counts. */
export interface Question<Document> {
  readonly envelope?: Document;
  readonly policy?: Document;
  readonly evaluation?: Document;
  readonly trace?: unknown;
}

/** The operations that take an envelope that comes alone as it is. */
const TAKE_BARE: readonly OperationName[] = ["evaluate", "explain"];

/** Asks, and gives the answer back in the form of the face: where it comes later, as a promise of it. */
export function ask<Document, Answer>(
  asker: Asker<string | Promise<string>>,
  operation: OperationName,
  face: Face<Document, Answer>,
  question: Question<Document>,
): Answer {
  const documents: [string, Uint8Array][] = [];
  const given = own(question);
  for (const name of ["envelope", "policy", "evaluation"] as const) {
    if (!(name in given)) continue;
    // An envelope is what is meant unless another document is named.
    documents.push([name, face.write(given[name] as Document, name === "envelope" ? "" : `${name}: `)]);
  }
  if (isAskedFor(given.trace)) documents.push(["trace", jsonOf(true)]);
  const [first, ...more] = documents;
  const isBare = first?.[0] === "envelope" && more.length === 0 && TAKE_BARE.includes(operation);
  return handed(asker.call(operation, isBare ? first[1] : asker.join(documents)), face);
}

/** Asks with a call that is one document. */
export function askWhole<Document, Answer>(
  asker: Pick<Asker<string | Promise<string>>, "call">,
  operation: OperationName,
  face: Face<Document, Answer>,
  call: Document,
): Answer {
  return handed(asker.call(operation, face.write(call)), face);
}

/** The types of a module in a worker say that its answers are promises: see `module.ts`. */
function handed<Answer>(text: string | Promise<string>, face: Face<never, Answer>): Answer {
  return typeof text === "string" ? face.read(text) : (text.then(face.read) as Answer);
}

function isAskedFor(trace: unknown): boolean {
  if (trace === undefined || typeof trace === "boolean") return trace ?? false;
  throw wrongUsage(`\`trace\` is true or false, found ${kindOf(trace)}`);
}

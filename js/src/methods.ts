/**
 * The named methods of operations, for engines, modules and parsed policies. Their interfaces are in `operations.ts`, `plans.ts` and
 * `policy.ts`, or else in `derived-operations.ts`.
 *
 * Each method converts values to JSON text, and the answer's text to a value. The text forms skip both steps.
 */
import { TEXT, sendCall, sendDocuments, values, type Codec, type Transport } from "./codec.js";
import type { OperationName } from "./generated/types.js";
import { Instance } from "./instance.js";
import { optionsOf } from "./options.js";
import type { PlanningOperations } from "./plans.js";
import { policies } from "./policy-handle.js";
import { checkArguments, detached, wrongUsage } from "./usage.js";
import { DOCUMENTS, OPERATIONS } from "./words.js";

/** The transport of each engine and each module. Objects that only inherit from them have none. */
const transports = new WeakMap<object, AnyTransport>();

/** A transport of an engine or a module. A module with a deadline answers with promises. @internal */
export type AnyTransport = Transport<string | Promise<string>>;

/**
 * Returns the transport of an engine or a module.
 *
 * @throws {AdjudicateError} `wrong_usage` if the method was not called on an engine or a module.
 * @internal
 */
export function transportFor(owner: unknown, method: string): AnyTransport {
  const transport = typeof owner === "object" && owner !== null ? transports.get(owner) : undefined;
  if (transport === undefined) throw detached("engine", method);
  return transport;
}

/**
 * Returns the instance of an engine.
 *
 * @throws {AdjudicateError} `wrong_usage` if the method was not called on an engine.
 * @internal
 */
export function instanceFor(engine: unknown, method: string): Instance {
  const transport = transportFor(engine, method);
  if (!(transport instanceof Instance)) throw detached("engine", method);
  return transport;
}

/** The two methods of an operation, for values and for JSON text. @internal */
export interface Method {
  readonly name: string;
  readonly operation: OperationName;
  /** The name of the first argument in the call. Without one, the call is one document. */
  readonly document: (typeof DOCUMENTS)[number] | undefined;
  /** The arguments before the options, for error messages. Without them, the method takes none. */
  readonly expected: string | undefined;
  /** The names of the options. */
  readonly options: readonly string[];
}

/** The argument of the methods that decide under a parsed policy, for error messages. @internal */
export const ALONE = "envelopes alone, because a parsed policy takes no other policy";

/** Returns the methods of engines and modules, or those of a parsed policy, which takes no other policy. @internal */
export function methodsOf(isParsed: boolean): readonly Method[] {
  const forms = isParsed ? OPERATIONS.filter(({ documents }) => documents.includes("policy")) : OPERATIONS;
  return forms.map(({ operation, documents, flags, expected }) => {
    const [document, ...others] = isParsed ? documents.filter((name) => name !== "policy") : documents;
    const options = [...others, ...flags];
    // A parsed policy checks itself.
    if (isParsed && document === undefined) return { name: camelCase(operation.replace("_policy", "")), operation, document, expected: undefined, options };
    return { name: camelCase(operation), operation, document, expected: isParsed && options.length === 0 ? ALONE : expected, options };
  });
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Defines the methods of a class.
 *
 * @param transportOf Returns the transport of an object, or throws if the method was not called on one.
 * @internal
 */
export function defineMethods(
  prototype: object,
  methods: readonly Method[],
  transportOf: (owner: unknown, method: string) => AnyTransport,
): void {
  for (const row of methods) {
    for (const [name, codec] of [[row.name, values<unknown>()], [`${row.name}Text`, TEXT as Codec<unknown, string>]] as const) {
      const { [name]: value } = {
        [name](this: unknown, ...given: unknown[]): unknown {
          return send(transportOf(this, name), row, codec, name, given);
        },
      };
      Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
    }
  }
}

function send(transport: AnyTransport, row: Method, codec: Codec<unknown, unknown>, method: string, given: readonly unknown[]): unknown {
  const { operation, document, expected, options } = row;
  if (expected === undefined) {
    checkArguments(given, 0, "none; a parsed policy checks itself");
    return sendDocuments(transport, operation, codec, {});
  }
  if (options.length === 0) checkArguments(given, 1, expected);
  else checkArguments(given, 2, `${expected} and options \`{ ${options.join(", ")} }\``);
  const [first, more] = given;
  if (document === undefined) return sendCall(transport, operation, codec, first);
  if (document === "policy" && policies.of(first) !== undefined) {
    throw wrongUsage(`the policy is parsed already: use \`policy.${method.replace("Policy", "")}()\``);
  }
  const form = { names: options, parsed: ["policy"] };
  return sendDocuments(transport, operation, codec, { [document]: first, ...optionsOf(more as object | undefined, form, method) });
}

/** The base of engines and modules, which has the methods of operations. */
export const OperationMethods = class {
  constructor(transport: AnyTransport) {
    transports.set(this, transport);
  }
} as unknown as abstract new (transport: unknown) => PlanningOperations;

defineMethods(OperationMethods.prototype, methodsOf(false), transportFor);

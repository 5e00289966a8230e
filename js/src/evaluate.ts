/**
 * The entry for pages that only evaluate. Its WebAssembly, the file `adjudicate/evaluate.wasm`, has half the bytes of the whole engine's, and its
 * answers are the same.
 */
import type { Engine } from "./engine.js";
import type { Answers, Calls, PolicyDocument } from "./generated/types.js";
import type { EvaluatePolicy } from "./policy.js";
import * as whole from "./slim.js";
import type { EngineSource } from "./slim.js";
import type { JsonText } from "./text.js";

export * from "./public.js";
export type { EngineSource } from "./slim.js";

/** The operations of an {@link EvaluateEngine}. */
export type EvaluateOperation = "evaluate" | "refine" | "explain";

/** The methods that an {@link EvaluateEngine} has from the whole engine. */
type EvaluateMethod = EvaluateOperation | "compose" | "evaluateBatch" | "open";

/** An engine with the operations of a page. The whole engine has this type, too. */
export interface EvaluateEngine extends Pick<Engine, EvaluateMethod | `${EvaluateMethod}Text` | "dispose" | typeof Symbol.dispose | "operations" | "version"> {
  /** As {@link Engine.call}, for the operations of this engine. */
  call<Name extends EvaluateOperation>(operation: Name, call: Calls[Name]): Answers[Name];

  /** As {@link Engine.callText}, for the operations of this engine. */
  callText(operation: EvaluateOperation, call: JsonText): string;

  /** As {@link Engine.policy}, without checks of the policy. */
  policy(document: PolicyDocument): EvaluatePolicy;

  /** As {@link Engine.policyText}, without checks of the policy. */
  policyText(document: JsonText): EvaluatePolicy;
}

/**
 * Creates an engine.
 *
 * ```js
 * const engine = await createEngine(fetch(import.meta.resolve("adjudicate/evaluate.wasm")));
 * ```
 *
 * @throws {AdjudicateError} `engine_load` if the source is not the engine's WebAssembly, or the request failed; `wrong_usage` for a second
 * argument, because a policy would have no effect here.
 */
export const createEngine: (source: EngineSource | Response | PromiseLike<EngineSource | Response>) => Promise<EvaluateEngine> = whole.createEngine;

/**
 * Creates an engine synchronously.
 *
 * ```js
 * const engine = createEngineSync(readFileSync(new URL(import.meta.resolve("adjudicate/evaluate.wasm"))));
 * ```
 *
 * @throws {AdjudicateError} as {@link createEngine}.
 */
export const createEngineSync: (source: EngineSource) => EvaluateEngine = whole.createEngineSync;

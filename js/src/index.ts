/**
 * The package's front door: one import, no configuration. The engine's WebAssembly travels inside of this file as
 * base64, so no bundler has to find it; nothing is compiled before an engine is asked for.
 */
import { Engine } from "./engine.js";
import { base64 } from "./generated/inline.js";
import { loadFailure } from "./instance.js";
import { refuseAll } from "./usage.js";

export * from "./public.js";

let compiled: WebAssembly.Module | undefined;
let compiling: Promise<WebAssembly.Module> | undefined;

/**
 * Creates an engine. The WebAssembly is compiled once per page or process; when that fails, the next call tries again.
 *
 * ```js
 * const engine = await createEngine();
 * ```
 *
 * @throws {AdjudicateError} `engine_load`, for instance where the page forbids WebAssembly; `wrong_usage` for any
 * argument, since a policy that is given here would have no effect.
 */
export async function createEngine(): Promise<Engine> {
  refuseAll(arguments, "createEngine");
  if (compiled === undefined) {
    try {
      compiling ??= WebAssembly.compile(bytes());
      compiled = await compiling;
    } catch (cause) {
      throw loadFailure(cause);
    } finally {
      compiling = undefined;
    }
  }
  return new Engine(compiled);
}

/**
 * Creates an engine without waiting. Compiling blocks for some milliseconds the first time, and old browsers refuse to
 * do so on a page's main thread: prefer {@link createEngine} there.
 *
 * ```js
 * const { decision } = createEngineSync().evaluate(envelope);
 * ```
 *
 * @throws {AdjudicateError} `engine_load`, as {@link createEngine}.
 */
export function createEngineSync(): Engine {
  refuseAll(arguments, "createEngineSync");
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(bytes());
    } catch (cause) {
      throw loadFailure(cause);
    }
  }
  return new Engine(compiled);
}

function bytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

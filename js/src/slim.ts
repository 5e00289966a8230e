/**
 * The front door for who counts bytes or must decide where WebAssembly comes from: the caller hands it over. It is the
 * file `adjudicate/engine.wasm` of the same version of this package.
 */
import { Engine } from "./engine.js";
import { loadFailure } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { instanceFor } from "./operations.js";
import { refuseMore } from "./usage.js";

export * from "./public.js";

/** How an engine is created. */
const FORM = "the engine's WebAssembly is all; a policy is given to `engine.evaluate` or `engine.policy`";

/** The engine's WebAssembly: its bytes, or compiled already. */
export type EngineSource = BufferSource | WebAssembly.Module;

/**
 * Creates an engine.
 *
 * ```js
 * const engine = await createEngine(fetch(import.meta.resolve("adjudicate/engine.wasm")));
 * ```
 *
 * @throws {AdjudicateError} `engine_load` when this is not the engine's WebAssembly, or could not be fetched;
 * `wrong_usage` for a second argument, since a policy that is given here would have no effect.
 */
export async function createEngine(
  source: EngineSource | Response | PromiseLike<EngineSource | Response>,
): Promise<Engine> {
  refuseMore(arguments, 1, FORM);
  let module: WebAssembly.Module;
  try {
    module = await compile(await source);
  } catch (cause) {
    throw loadFailure(cause);
  }
  return new Engine(module);
}

/**
 * Creates an engine without waiting.
 *
 * ```js
 * const engine = createEngineSync(readFileSync(new URL(import.meta.resolve("adjudicate/engine.wasm"))));
 * ```
 *
 * @throws {AdjudicateError} as {@link createEngine}.
 */
export function createEngineSync(source: EngineSource): Engine {
  refuseMore(arguments, 1, FORM);
  let module: WebAssembly.Module;
  try {
    module = isModule(source) ? source : new WebAssembly.Module(source);
  } catch (cause) {
    throw loadFailure(cause);
  }
  return new Engine(module);
}

/**
 * Loads a policy module that anybody may have written. Its manifest and its answers are read by an engine, which here
 * is the caller's; for the rest it is `loadModule` of `adjudicate`.
 *
 * ```js
 * const engine = await createEngine(fetch(import.meta.resolve("adjudicate/engine.wasm")));
 * const module = await loadModule(await readFile("policy.wasm"), engine);
 * const { decision } = module.evaluate(envelope);
 * ```
 *
 * @throws {AdjudicateError} as that one; `wrong_usage` for what is no engine.
 */
export function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  engine: Engine,
  options?: ModuleOptions & { deadlineMs?: undefined },
): Promise<PolicyModule>;
export function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  engine: Engine,
  options: ModuleOptions & { deadlineMs: number },
): Promise<IsolatedModule>;
export async function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  engine: Engine,
  options?: ModuleOptions,
): Promise<PolicyModule | IsolatedModule> {
  refuseMore(arguments, 3, "the bytes of a module, an engine and options are all");
  return load(instanceFor(engine, "loadModule"), bytes, options);
}

async function compile(source: EngineSource | Response): Promise<WebAssembly.Module> {
  if (isResponse(source)) {
    if (!source.ok) throw new Error(`the server answered ${source.status}`);
    // Not `compileStreaming`: it insists on a media type that many servers do not send.
    return WebAssembly.compile(await source.arrayBuffer());
  }
  return isModule(source) ? source : WebAssembly.compile(source);
}

/** By name and not by `instanceof`, which fails for a module of another realm. */
function isModule(source: unknown): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

function isResponse(source: unknown): source is Response {
  return Object.prototype.toString.call(source) === "[object Response]";
}

/**
 * The entry for callers that load the WebAssembly themselves: the file `adjudicate/engine.wasm` of the same version of this package.
 */
import { Engine } from "./engine.js";
import { loadFailure } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { instanceFor } from "./methods.js";
import { checkArguments } from "./usage.js";

export * from "./public.js";

/** The arguments of `createEngine`, for error messages. */
const FORM = "the engine's WebAssembly; pass a policy to `engine.evaluate` or `engine.policy`";

/** The engine's WebAssembly: its bytes, or a compiled module. */
export type EngineSource = BufferSource | WebAssembly.Module;

/**
 * Creates an engine.
 *
 * ```js
 * const engine = await createEngine(fetch(import.meta.resolve("adjudicate/engine.wasm")));
 * ```
 *
 * @throws {AdjudicateError} `engine_load` if the source is not the engine's WebAssembly, or the request failed; `wrong_usage` for a second
 * argument, because a policy would have no effect here.
 */
export async function createEngine(
  source: EngineSource | Response | PromiseLike<EngineSource | Response>,
): Promise<Engine> {
  checkArguments(arguments, 1, FORM);
  return new Engine(await compile(source));
}

/**
 * Creates an engine synchronously.
 *
 * ```js
 * const engine = createEngineSync(readFileSync(new URL(import.meta.resolve("adjudicate/engine.wasm"))));
 * ```
 *
 * @throws {AdjudicateError} as {@link createEngine}.
 */
export function createEngineSync(source: EngineSource): Engine {
  checkArguments(arguments, 1, FORM);
  let module: WebAssembly.Module;
  try {
    module = isModule(source) ? source : new WebAssembly.Module(source);
  } catch (cause) {
    throw loadFailure(cause);
  }
  return new Engine(module);
}

/**
 * Loads an untrusted policy module, as `loadModule` of `adjudicate` does. Your engine checks its manifest and its answers.
 *
 * ```js
 * const engine = await createEngine(fetch(import.meta.resolve("adjudicate/engine.wasm")));
 * const module = await loadModule(await readFile("policy.wasm"), engine);
 * const { decision } = module.evaluate(envelope);
 * ```
 *
 * @throws {AdjudicateError} as `loadModule` of `adjudicate`; `wrong_usage` if the second argument is not an engine.
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
  checkArguments(arguments, 3, "the bytes of a module, an engine and options");
  return load(instanceFor(engine, "loadModule").whole(), bytes, options);
}

async function compile(given: Parameters<typeof createEngine>[0]): Promise<WebAssembly.Module> {
  try {
    const source = await given;
    if (!isResponse(source)) return isModule(source) ? source : await WebAssembly.compile(source);
    if (!source.ok) throw new Error(`the server returned the status ${source.status}`);
    // `compileStreaming` requires a media type that many servers do not send.
    return await WebAssembly.compile(await source.arrayBuffer());
  } catch (cause) {
    throw loadFailure(cause);
  }
}

/** Compares by name, because `instanceof` fails for a module of another realm. */
function isModule(source: unknown): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

function isResponse(source: unknown): source is Response {
  return Object.prototype.toString.call(source) === "[object Response]";
}

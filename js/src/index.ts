/**
 * The default entry: one import, no configuration. This file contains the engine's WebAssembly as base64, so bundlers need not find it.
 * The first call of `createEngine` compiles it.
 */
import { Engine } from "./engine.js";
import { base64 } from "./generated/inline.js";
import { Instance, loadFailure } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { checkNoArguments, checkArguments } from "./usage.js";

export * from "./public.js";

let compiled: WebAssembly.Module | undefined;
let compiling: Promise<WebAssembly.Module> | undefined;

/**
 * Creates an engine. The WebAssembly is compiled once per page or process. If that fails, the next call tries again.
 *
 * ```js
 * const engine = await createEngine();
 * ```
 *
 * @throws {AdjudicateError} `engine_load`, for example if the page forbids WebAssembly; `wrong_usage` for any argument, because a policy
 * would have no effect here.
 */
export async function createEngine(): Promise<Engine> {
  checkNoArguments(arguments);
  return new Engine(await compile());
}

/**
 * Creates an engine synchronously. The first call compiles, which takes some milliseconds. Old browsers refuse that on the main thread
 * of a page, so prefer {@link createEngine} there.
 *
 * ```js
 * const { decision } = createEngineSync().evaluate(envelope);
 * ```
 *
 * @throws {AdjudicateError} `engine_load`, as {@link createEngine}.
 */
export function createEngineSync(): Engine {
  checkNoArguments(arguments);
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(bytes());
    } catch (cause) {
      throw loadFailure(cause);
    }
  }
  return new Engine(compiled);
}

/** The instance that checks the answers of all modules. It keeps no state between calls. */
let checker: Instance | undefined;

/**
 * Loads an untrusted policy module, with the checks of the native host. Without a deadline it runs on this thread. Its methods are then
 * synchronous, and no deadline ends an infinite loop.
 *
 * ```js
 * const module = await loadModule(await readFile("policy.wasm"));
 * console.log(module.manifest.name, module.digest);
 * const { decision } = module.evaluate(envelope);
 * ```
 *
 * With a deadline it runs in a worker, and its methods return promises:
 *
 * ```js
 * using module = await loadModule(await readFile("policy.wasm"), { deadlineMs: 500 });
 * const { decision } = await module.evaluate(envelope);
 * ```
 *
 * @param bytes The module. The bytes are copied first.
 * @throws {AdjudicateError} one of the `module_*` codes if the module is rejected; `wrong_usage`; `engine_load`; `host_fault` if no worker
 * can start.
 */
export function loadModule(bytes: Uint8Array | ArrayBuffer, options?: ModuleOptions & { deadlineMs?: undefined }): Promise<PolicyModule>;
export function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  options: ModuleOptions & { deadlineMs: number },
): Promise<IsolatedModule>;
export async function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  options?: ModuleOptions,
): Promise<PolicyModule | IsolatedModule> {
  checkArguments(arguments, 2, "the bytes of a module and options");
  checker ??= new Instance(await compile());
  return load(checker, bytes, options);
}

async function compile(): Promise<WebAssembly.Module> {
  if (compiled !== undefined) return compiled;
  try {
    compiling ??= WebAssembly.compile(bytes());
    return (compiled = await compiling);
  } catch (cause) {
    throw loadFailure(cause);
  } finally {
    compiling = undefined;
  }
}

function bytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

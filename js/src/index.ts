/**
 * The package's front door: one import, no configuration. The engine's WebAssembly travels inside of this file as
 * base64, so no bundler has to find it; nothing is compiled before an engine is asked for.
 */
import { Engine } from "./engine.js";
import { base64 } from "./generated/inline.js";
import { Instance, loadFailure } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { refuseAll, refuseMore } from "./usage.js";

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
  return new Engine(await compile());
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

/** The instance that reads what modules say; they share it, for it remembers nothing. */
let judge: Instance | undefined;

/**
 * Loads a policy module that anybody may have written, by the checks of the native host. On this thread its methods are
 * synchronous, and nothing ends one that runs for ever.
 *
 * ```js
 * const module = await loadModule(await readFile("policy.wasm"));
 * console.log(module.manifest.name, module.digest);
 * const { decision } = module.evaluate(envelope);
 * ```
 *
 * With a deadline it runs in a worker, and its methods answer with promises:
 *
 * ```js
 * using module = await loadModule(await readFile("policy.wasm"), { deadlineMs: 500 });
 * const { decision } = await module.evaluate(envelope);
 * ```
 *
 * @param bytes The module, as a copy of which it is read.
 * @throws {AdjudicateError} with one of the `module_*` codes for a module that is refused; `wrong_usage`; `engine_load`;
 * `host_fault` where no worker can be started.
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
  refuseMore(arguments, 2, "the bytes of a module and options are all");
  judge ??= new Instance(await compile());
  return load(judge, bytes, options);
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

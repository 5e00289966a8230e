/** The front door on workerd, where WebAssembly must come with the code and may not be compiled from bytes. */
import module from "./engine.wasm";
import { Engine } from "./engine.js";
import { Instance } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { refuseAll, refuseMore } from "./usage.js";

export * from "./public.js";

/** Creates an engine; `wrong_usage` for any argument. */
export async function createEngine(): Promise<Engine> {
  refuseAll(arguments, "createEngine");
  return new Engine(module);
}

/** Creates an engine without waiting; `wrong_usage` for any argument. */
export function createEngineSync(): Engine {
  refuseAll(arguments, "createEngineSync");
  return new Engine(module);
}

let judge: Instance | undefined;

/** Loads a policy module; `module_compile` where the platform compiles no bytes, `host_fault` for a deadline where it has no workers. */
export async function loadModule(
  bytes: Uint8Array | ArrayBuffer,
  options?: ModuleOptions,
): Promise<PolicyModule | IsolatedModule> {
  refuseMore(arguments, 2, "the bytes of a module and options are all");
  return load((judge ??= new Instance(module)), bytes, options);
}

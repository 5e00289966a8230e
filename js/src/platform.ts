/** The entry for platforms that compile the WebAssembly with the code and forbid compiling bytes: workerd and edge runtimes. */
import { Engine } from "./engine.js";
import { Instance } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { checkNoArguments, checkArguments } from "./usage.js";

/** Returns the exports of an entry whose module the platform compiled. The engine starts with the first call. */
export function entryOf(module: WebAssembly.Module) {
  let checker: Instance | undefined;
  return {
    /** Creates an engine. Throws `wrong_usage` for any argument. */
    async createEngine(): Promise<Engine> {
      checkNoArguments(arguments);
      return new Engine(module);
    },

    /** Creates an engine synchronously. Throws `wrong_usage` for any argument. */
    createEngineSync(): Engine {
      checkNoArguments(arguments);
      return new Engine(module);
    },

    /**
     * Loads a policy module. Throws `module_compile` if the platform compiles no bytes, and `host_fault` for a deadline if it has no
     * workers.
     */
    async loadModule(bytes: Uint8Array | ArrayBuffer, options?: ModuleOptions): Promise<PolicyModule | IsolatedModule> {
      checkArguments(arguments, 2, "the bytes of a module and options");
      return load((checker ??= new Instance(module)), bytes, options);
    },
  };
}

/** The front door where WebAssembly must come with the code and may not be compiled from bytes: workerd and edge runtimes. */
import { Engine } from "./engine.js";
import { Instance } from "./instance.js";
import { load, type ModuleOptions } from "./load.js";
import type { IsolatedModule, PolicyModule } from "./module.js";
import { refuseAll, refuseMore } from "./usage.js";

/** What is exported for an engine that the platform compiled; nothing is done with it before somebody asks. */
export function doorOf(module: WebAssembly.Module) {
  let judge: Instance | undefined;
  return {
    /** Creates an engine; `wrong_usage` for any argument. */
    async createEngine(): Promise<Engine> {
      refuseAll(arguments, "createEngine");
      return new Engine(module);
    },

    /** Creates an engine without waiting; `wrong_usage` for any argument. */
    createEngineSync(): Engine {
      refuseAll(arguments, "createEngineSync");
      return new Engine(module);
    },

    /**
     * Loads a policy module; `module_compile` where the platform compiles no bytes, `host_fault` for a deadline where it has
     * no workers.
     */
    async loadModule(bytes: Uint8Array | ArrayBuffer, options?: ModuleOptions): Promise<PolicyModule | IsolatedModule> {
      refuseMore(arguments, 2, "the bytes of a module and options are all");
      return load((judge ??= new Instance(module)), bytes, options);
    },
  };
}

/** The front door on workerd, where WebAssembly must come with the code and may not be compiled from bytes. */
import module from "./engine.wasm";
import { Engine } from "./engine.js";
import { refuseAll } from "./usage.js";

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

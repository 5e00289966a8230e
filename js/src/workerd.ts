/** The front door on workerd, where WebAssembly must come with the code and may not be compiled from bytes. */
import module from "./engine.wasm";
import { Engine } from "./engine.js";

export * from "./public.js";

/** Creates an engine. */
export async function createEngine(): Promise<Engine> {
  return createEngineSync();
}

/** Creates an engine without waiting. */
export function createEngineSync(): Engine {
  return new Engine(module);
}

/** The front door on workerd. */
import module from "./engine.wasm";
import { doorOf } from "./platform.js";

export * from "./public.js";
export const { createEngine, createEngineSync, loadModule } = doorOf(module);

/** The entry for workerd. */
import module from "./engine.wasm";
import { entryOf } from "./platform.js";

export * from "./public.js";
export const { createEngine, createEngineSync, loadModule } = entryOf(module);

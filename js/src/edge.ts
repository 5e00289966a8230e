/** The front door on edge runtimes, which want to be told that a file is WebAssembly. */
import module from "./engine.wasm?module";
import { doorOf } from "./platform.js";

export * from "./public.js";
export const { createEngine, createEngineSync, loadModule } = doorOf(module);

/** The entry for edge runtimes, whose imports mark WebAssembly with `?module`. */
import module from "./engine.wasm?module";
import { entryOf } from "./platform.js";

export * from "./public.js";
export const { createEngine, createEngineSync, loadModule } = entryOf(module);

/** The entry that is handed its WebAssembly. Compiled, never run. */
import { createEngine, createEngineSync, type Engine, type EngineSource } from "adjudicate/slim";
import engineModule from "adjudicate/engine.wasm";

export async function engines(): Promise<Engine[]> {
  const sources: EngineSource[] = [new Uint8Array(8), new ArrayBuffer(8), engineModule];
  const fetched = await createEngine(fetch("/engine.wasm"));
  // @ts-expect-error: something must be handed over
  createEngineSync();
  // @ts-expect-error: a policy is given to the engine, not to what creates it
  createEngineSync(new Uint8Array(8), { policy: null });
  return [fetched, ...sources.map((source) => createEngineSync(source))];
}

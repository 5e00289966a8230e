/** Code with the entry `adjudicate/slim`. Compiled, never run. */
import { createEngine, createEngineSync, type Engine, type EngineSource } from "adjudicate/slim";
import engineModule from "adjudicate/engine.wasm";

export async function engines(): Promise<Engine[]> {
  const sources: EngineSource[] = [new Uint8Array(8), new ArrayBuffer(8), engineModule];
  const fetched = await createEngine(fetch("/engine.wasm"));
  // @ts-expect-error: the WebAssembly is required
  createEngineSync();
  // @ts-expect-error: the function that creates an engine takes no policy
  createEngineSync(new Uint8Array(8), { policy: null });
  return [fetched, ...sources.map((source) => createEngineSync(source))];
}

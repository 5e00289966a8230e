/** A strict TypeScript user's code with modules. Compiled, never run. */
import { AdjudicateError, loadModule } from "adjudicate";
import type { Envelope, Evaluation, IsolatedModule, ModuleManifest, ModuleOptions, PolicyModule, Revision } from "adjudicate";

declare const bytes: Uint8Array;
declare const envelope: Envelope;
declare const options: ModuleOptions;

export async function here(): Promise<Evaluation> {
  const module: PolicyModule = await loadModule(bytes, { memoryBytes: 1 << 20 });
  const revision: Revision = module.refine(envelope);
  const manifest: ModuleManifest = module.manifest;
  console.log(revision.next, manifest.policy?.rules.length, manifest["x-home"], module.digest);
  module.dispose();
  return module.call("evaluate", { envelope });
}

export async function there(): Promise<Evaluation | string> {
  const module: IsolatedModule = await loadModule(bytes, { deadlineMs: 500 });
  try {
    return await module.evaluate(envelope);
  } catch (error) {
    if (error instanceof AdjudicateError && error.code === "module_deadline") return error.message;
    throw error;
  }
}

// @ts-expect-error: a deadline is a number
void loadModule(bytes, { deadlineMs: "500" });
// @ts-expect-error: an unknown option
void loadModule(bytes, { deadline: 500 });
// @ts-expect-error: the type must show if there is a deadline
void loadModule(bytes, options);

declare const console: { log(...words: unknown[]): void };

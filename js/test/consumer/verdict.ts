/** A strict TypeScript user's code with verdicts. Compiled, never run. */
import { AdjudicateError, makeVerdict, openVerdict, verifyVerdict } from "adjudicate/verdict";
import type { SigningKeys, VerdictParts, VerdictReport } from "adjudicate/verdict";
import type { Engine, IsolatedModule, PolicyModule } from "adjudicate";

declare const engine: Engine;
declare const module: PolicyModule;
declare const isolated: IsolatedModule;
declare const sign: SigningKeys;

export async function shared(envelope: string): Promise<string> {
  const verdict: string = await makeVerdict(engine, "evaluate", envelope, { policy: new Uint8Array(), module, sign });
  const report: VerdictReport = await verifyVerdict(engine, verdict, { module: isolated, keys: ["ed25519:00"] });
  const { operation, input, policy }: VerdictParts = openVerdict(engine, verdict);
  // @ts-expect-error: an object is no text
  await makeVerdict(engine, "evaluate", {});
  // @ts-expect-error: an unknown option
  await verifyVerdict(engine, verdict, { key: "ed25519:00" });
  const { outcome, difference, signature } = report;
  return [outcome, difference?.path, signature.state, operation, input, policy].join();
}

export const isOurs = (error: unknown): boolean => error instanceof AdjudicateError && error.code === "wrong_usage";

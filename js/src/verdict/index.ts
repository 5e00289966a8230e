/**
 * Verdicts: a call, its answer and their digests in one document, which anyone can recompute.
 *
 * Verdicts are texts, because `JSON.parse` and `JSON.stringify` change numbers such as `1.0`, and so the digests.
 */
import type { Engine } from "../engine.js";
import type { OpenedVerdict, OperationName, Recomputation, VerdictDraft } from "../generated/types.js";
import { INSTANCE, type Instance } from "../instance.js";
import type { IsolatedModule, PolicyModule } from "../module.js";
import { itemsOf } from "../list.js";
import { optionsOf, type Form } from "../options.js";
import { own } from "../own.js";
import { utf8, type JsonText } from "../text.js";
import { checkArguments, kindOf, shown, wrongUsage } from "../usage.js";
import { signed, verified } from "./signature.js";
import type { MakeVerdictOptions, VerdictParts, VerdictReport, VerifyVerdictOptions } from "./types.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "./types.js";

const MAKE: Form<keyof MakeVerdictOptions> = { names: ["policy", "module", "sign"] };
const VERIFY: Form<keyof VerifyVerdictOptions> = { names: ["module", "keys"] };

/**
 * Decides, and returns the call, the answer and their digests as one JSON text: that of `adjudicate verdict make`.
 *
 * ```js
 * const verdict = await makeVerdict(engine, "evaluate", await readFile("envelope.json"), { policy: await readFile("policy.json") });
 * ```
 *
 * @param input The input of the call, as text.
 * @throws {AdjudicateError} as the operation; `invalid_value` if the operation takes no policy, or the input has one, too; `wrong_usage` for a key
 * that cannot sign.
 */
export async function makeVerdict(engine: Engine, operation: OperationName, input: JsonText, options?: MakeVerdictOptions): Promise<string> {
  checkArguments(arguments, 4, "an engine, the name of an operation, its input and options");
  const instance = instanceOf(engine);
  const { policy: given, module, sign } = optionsOf(options, MAKE);
  const text = utf8(input);
  const policy = given === undefined ? undefined : utf8(given, "policy: ");
  const number = instance.numberOf(operation);
  const label = labelOf(module);
  const { call, before, after } = instance.run((bindings) => bindings.draftVerdict(number, text, policy, label)) as VerdictDraft;
  const answer = utf8(await (module ?? engine).callText(operation, call));
  const verdict = instance.run((bindings) => bindings.makeVerdict(before, answer, after));
  if (sign === undefined) return verdict;
  const bytes = utf8(verdict);
  const signature = await signed(opened(instance, bytes, label).message, sign);
  return instance.run((bindings) => bindings.signVerdict(bytes, signature.key, signature.bytes));
}

/**
 * Decides again, and compares the answers, the digests and the signature, as `adjudicate verdict verify` does.
 *
 * ```js
 * const { outcome, difference, signature } = await verifyVerdict(engine, verdict, { keys });
 * const isGood = outcome === "same_bytes" && signature.state === "trusted";
 * ```
 *
 * @throws {AdjudicateError} if the text is not a verdict; `wrong_usage` if the verdict is signed and the platform has no Ed25519.
 */
export async function verifyVerdict(engine: Engine, verdict: JsonText, options?: VerifyVerdictOptions): Promise<VerdictReport> {
  checkArguments(arguments, 3, "an engine, the text of a verdict and options");
  const instance = instanceOf(engine);
  const { module, keys = [] } = optionsOf(options, VERIFY);
  const text = utf8(verdict);
  const { operation, call = "", message, signature, undecided } = opened(instance, text, labelOf(module));
  const report = await verified(message, signature, trusted(keys));
  const recomputation = undecided ?? (await recomputed(instance, text, () => (module ?? engine).callText(operation, call)));
  return { ...recomputation, signature: report };
}

/**
 * Returns the input and the policy of a verdict. Numbers and texts are spelled as in the verdict.
 *
 * ```js
 * const { operation, input, policy } = openVerdict(engine, verdict);
 * ```
 *
 * @throws {AdjudicateError} if the text is not a verdict.
 */
export function openVerdict(engine: Engine, verdict: JsonText): VerdictParts {
  checkArguments(arguments, 2, "an engine and the text of a verdict");
  const { operation, input, policy } = opened(instanceOf(engine), utf8(verdict), undefined);
  return { operation, input, ...(policy !== undefined && { policy }) };
}

/** Returns true for an error that the engine or a module reports about the input of a call. The error can be of another bundle's class. */
function isAboutInput(thrown: unknown): boolean {
  const { name, code } = own(thrown as { name?: unknown; code?: unknown });
  return name === "AdjudicateError" && typeof code === "string" && !code.startsWith("module_") && !OTHER_CODES.includes(code);
}

/** The codes of errors that are not about the input. */
const OTHER_CODES = ["wrong_usage", "unsupported_operation", "trap", "engine_load"];

/** Returns the description of a module in a verdict, as JSON. */
function labelOf(module: PolicyModule | IsolatedModule | undefined): Uint8Array | undefined {
  if (module === undefined) return undefined;
  const { manifest, digest } = module;
  if (typeof digest !== "string") throw wrongUsage("expected a loaded policy module in `module`");
  return utf8(JSON.stringify({ digest, name: manifest.name, version: manifest.version }));
}

/** Returns the trusted public keys in lower case. */
function trusted(keys: readonly string[]): ReadonlySet<string> {
  const texts = [...itemsOf(keys, "keys")];
  const bad = texts.find((key) => typeof key !== "string" || !/^ed25519:[0-9a-f]{64}$/i.test(key));
  if (bad !== undefined) throw wrongUsage(`expected \`ed25519:\` and 64 hexadecimal digits in \`keys\`, found ${shown(bad)}`);
  return new Set(texts.map((key) => (key as string).toLowerCase()));
}

/** Returns the instance of an engine, which may be of another bundle's class. */
function instanceOf(engine: Engine): Instance {
  const instance = (engine as { readonly [INSTANCE]?: Instance } | undefined)?.[INSTANCE];
  if (instance === undefined) throw wrongUsage(`expected an engine, found ${kindOf(engine)}`);
  return instance.whole();
}

function opened(instance: Instance, verdict: Uint8Array, label: Uint8Array | undefined): OpenedVerdict & { operation: OperationName } {
  return instance.run((bindings) => bindings.openVerdict(verdict, label)) as OpenedVerdict & { operation: OperationName };
}

async function recomputed(instance: Instance, verdict: Uint8Array, call: () => string | Promise<string>): Promise<Recomputation> {
  let answer: string | undefined;
  let error: string | undefined;
  try {
    answer = await call();
  } catch (thrown) {
    // Only an error about the input tells something about the verdict.
    if (!isAboutInput(thrown)) throw thrown;
    error = JSON.stringify(thrown);
  }
  return instance.run((bindings) => bindings.compareVerdict(verdict, answer, error)) as Recomputation;
}

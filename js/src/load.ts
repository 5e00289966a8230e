/**
 * Loading a policy module: from bytes that anybody may have written to something that can be asked.
 *
 * Owns the order of the checks, which is the native host's, and the options.
 */
import { feature, malformed } from "./binary.js";
import { checkCarried } from "./carried.js";
import { AdjudicateError, reasonOf } from "./error.js";
import { minorVersionOf } from "./guest.js";
import type { Instance } from "./instance.js";
import { Isolation } from "./isolation.js";
import { readManifest, type ModuleManifest } from "./manifest.js";
import { Bounds, Elsewhere, Here, PolicyModule, isolated, type IsolatedModule } from "./module.js";
import { optionsOf, type Form } from "./options.js";
import { memberOf, own } from "./own.js";
import { PAGE, checkExports, structureOf } from "./structure.js";
import { MAX_DOCUMENT_BYTES, copyOf } from "./text.js";
import { kindOf, wrongUsage } from "./usage.js";

/** How a module is loaded: what it may use, and whether it has a deadline. */
export interface ModuleOptions {
  /**
   * Milliseconds for each call, from 1 to a day. With it the module runs in a worker, which is ended when time is up, and its methods
   * answer with promises. Without it the module runs on this thread, and nothing ends it.
   */
  readonly deadlineMs?: number | undefined;
  /** Where a page has the worker's script, `adjudicate/worker.js`, if its bundler has left that behind. Node has no use for it. */
  readonly workerUrl?: string | { readonly href: string } | undefined;
  /** Bytes of the module. Default 16 MiB, at most 256 MiB. */
  readonly moduleBytes?: number | undefined;
  /** Bytes of memory that the module may declare as its maximum. Default 16 MiB, from 64 KiB to 4 GiB. */
  readonly memoryBytes?: number | undefined;
  /** Bytes of the input of a call. Default, and at most: 8 MiB. */
  readonly inputBytes?: number | undefined;
  /** Bytes of a reply. Default 4 MiB, at most 64 MiB. */
  readonly outputBytes?: number | undefined;
}

const FORM: Form<keyof ModuleOptions> = {
  method: "evaluate",
  names: ["deadlineMs", "workerUrl", "moduleBytes", "memoryBytes", "inputBytes", "outputBytes"],
  takesParsed: false,
};

/** What there is for a module. */
interface Limits {
  readonly module: number;
  readonly memory: number;
  readonly input: number;
  readonly output: number;
  readonly deadline: number | undefined;
  readonly workerUrl: string | undefined;
}

/**
 * Loads a module; `engine` reads its manifest and holds it to its contract.
 *
 * @internal
 */
export async function load(
  engine: Instance,
  bytes: unknown,
  options: ModuleOptions | undefined,
): Promise<PolicyModule | IsolatedModule> {
  const limits = limitsOf(options);
  const module = bytesOf(bytes, limits.module);
  const structure = structureOf(module);
  const compiled = await compile(module);
  checkExports(structure);
  const memory = structure.memories[0];
  if (memory === undefined) throw refusal("module_memory_type", "the module has no memory of its own");
  const manifest = readManifest(structure.manifests, memory.maximum * PAGE, engine);
  await checkCarried(structure.policies, manifest, engine);
  admit(memory.maximum * PAGE, manifest, limits);
  const bounds = new Bounds(engine, manifest, limits);
  const digest = engine.digestOf(module);
  if (limits.deadline === undefined) {
    checkMinorVersion(minorVersionOf(compiled));
    return new PolicyModule(new Here(bounds, compiled), digest);
  }
  const isolation = new Isolation(compiled, limits.deadline, limits.workerUrl);
  try {
    checkMinorVersion(await isolation.minorVersion());
  } catch (thrown) {
    isolation.end();
    throw thrown;
  }
  return isolated(new Elsewhere(bounds, isolation), digest);
}

function limitsOf(options: ModuleOptions | undefined): Limits {
  const given = optionsOf<keyof ModuleOptions, ModuleOptions>(options, FORM);
  const number = (name: keyof ModuleOptions, least: number, most: number, usual: number) => {
    const value: unknown = given[name] ?? usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    const found = typeof value === "number" ? String(value) : kindOf(value);
    throw wrongUsage(`\`${name}\` is a whole number from ${least} to ${most}, found ${found}`);
  };
  const { workerUrl, deadlineMs } = given;
  const url = typeof workerUrl === "object" ? memberOf(workerUrl, "href") : workerUrl;
  if (url !== undefined && typeof url !== "string") {
    throw wrongUsage(`\`workerUrl\` is the address of a script, found ${kindOf(workerUrl)}`);
  }
  return {
    module: number("moduleBytes", 1, 256 << 20, 16 << 20),
    memory: number("memoryBytes", PAGE, 2 ** 32, 16 << 20),
    input: number("inputBytes", 1, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_BYTES),
    output: number("outputBytes", 1, 64 << 20, 4 << 20),
    deadline: deadlineMs === undefined ? undefined : number("deadlineMs", 1, 86_400_000, 1),
    workerUrl: url,
  };
}

/** The module's bytes as a copy of our own: what was checked is what is compiled, whoever else writes to them. */
function bytesOf(bytes: unknown, limit: number): Uint8Array<ArrayBuffer> {
  const kind = Object.prototype.toString.call(bytes);
  if (kind === "[object WebAssembly.Module]") {
    const why = "its memory, its manifest's place and its digest are known from the bytes alone";
    throw wrongUsage(`a module is loaded from its bytes, found a \`WebAssembly.Module\`: ${why}`);
  }
  if (kind === "[object Response]" || kind === "[object Promise]") {
    throw wrongUsage("a module is loaded from its bytes: write `await (await fetch(url)).arrayBuffer()`");
  }
  const copy = copyOf(bytes, limit);
  if (copy instanceof Uint8Array) return copy;
  if (copy === undefined) throw wrongUsage(`a module is a \`Uint8Array\` or an \`ArrayBuffer\`, found ${kindOf(bytes)}`);
  throw refusal("module_too_large", `the module has ${copy} bytes, the limit is ${limit}`);
}

async function compile(module: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(module);
  } catch (cause) {
    const isValid = WebAssembly.validate(module);
    const reason = reasonOf(cause);
    if (!isValid) throw /\benable|\bfeature\b|experimental/i.test(reason) ? feature(reason) : malformed(reason);
    throw new AdjudicateError("module_compile", `the platform does not compile the module: ${reason}`, "", { cause });
  }
}

/** Refuses a module that may grow larger, or says that it needs more, than there is for it here. There is no fuel to fall short of. */
function admit(maximum: number, manifest: ModuleManifest, limits: Limits): void {
  if (maximum > limits.memory) {
    const advice = "give the linker a lower maximum, or the host a higher `memoryBytes`";
    throw refusal("module_too_large", `the memory may grow to ${maximum} bytes, the limit is ${limits.memory}; ${advice}`);
  }
  for (const [name, given, option] of [
    ["memory_bytes", limits.memory, "memoryBytes"],
    ["input_bytes", limits.input, "inputBytes"],
    ["output_bytes", limits.output, "outputBytes"],
  ] as const) {
    const needed = own(own(manifest).limits)[name] ?? 0;
    if (needed <= given) continue;
    const message = `the module says that it needs ${needed} of \`${name}\`, this host gives ${given}; raise \`${option}\``;
    throw new AdjudicateError("module_needs", message, `/limits/${name}`);
  }
}

function checkMinorVersion(minor: number): void {
  if (minor === 0) return;
  const what =
    minor < 0
      ? `gives ${minor} for its minor version of the interface, which is none`
      : `speaks version 1.${minor} of the interface, this host 1.0`;
  throw refusal("module_abi", `the module ${what}`);
}

function refusal(code: "module_abi" | "module_memory_type" | "module_too_large", message: string): AdjudicateError {
  return new AdjudicateError(code, message);
}

/**
 * Loads an untrusted policy module from its bytes.
 *
 * This file has the options, and the order of the checks, which is that of the native host.
 */
import { feature, malformed } from "./binary.js";
import { POLICY_SECTION, checkEmbeddedPolicy } from "./embedded-policy.js";
import { AdjudicateError, reasonOf } from "./error.js";
import type { ModuleManifest } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { Isolation } from "./isolation.js";
import { ModuleTransport, PolicyModule, isolated, localRunner, type IsolatedModule } from "./module.js";
import { optionsOf, type Form } from "./options.js";
import { propertyOf, own } from "./own.js";
import { PAGE, checkExports, structureOf } from "./structure.js";
import { MAX_DOCUMENT_BYTES, copyOf } from "./text.js";
import { kindOf, wrongUsage } from "./usage.js";

/** The limits and the deadline of a module. */
export interface ModuleOptions {
  /**
   * The milliseconds for each call, from 1 to 86,400,000 (a day). With a deadline, the module runs in a worker, which is ended when the time
   * is up, and its methods return promises. Default: none. The module then runs on this thread, and an infinite loop never ends.
   */
  readonly deadlineMs?: number | undefined;
  /** The URL of the worker script `adjudicate/worker.js`, if your bundler leaves it out of the page. Node ignores it. */
  readonly workerUrl?: string | { readonly href: string } | undefined;
  /** The largest module, in bytes. Default: 16 MiB. From 1 to 256 MiB. */
  readonly moduleBytes?: number | undefined;
  /** The largest maximum that the module may declare for its memory, in bytes. Default: 16 MiB. From 64 KiB to 4 GiB. */
  readonly memoryBytes?: number | undefined;
  /** The largest input of a call, in bytes. Default: 8 MiB. From 1 to 8 MiB. */
  readonly inputBytes?: number | undefined;
  /** The largest reply, in bytes. Default: 4 MiB. From 1 to 64 MiB. */
  readonly outputBytes?: number | undefined;
}

const FORM: Form<keyof ModuleOptions> = {
  names: ["deadlineMs", "workerUrl", "moduleBytes", "memoryBytes", "inputBytes", "outputBytes"],
};

/** Loads a module. The engine reads its manifest and checks its answers. @internal */
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
  if (memory === undefined) throw new AdjudicateError("module_memory_type", "the module has no memory of its own");
  const manifest = manifestIn(WebAssembly.Module.customSections(compiled, "adjudicate.manifest"), memory.maximum * PAGE, engine);
  await checkEmbeddedPolicy(WebAssembly.Module.customSections(compiled, POLICY_SECTION), manifest, engine);
  admit(memory.maximum * PAGE, manifest, limits);
  const digest = engine.digestOf(module);
  const { deadline, workerUrl } = limits;
  const runner = deadline === undefined ? localRunner(compiled) : new Isolation(compiled, deadline, workerUrl);
  try {
    checkMinorVersion(await runner.minorVersion());
  } catch (thrown) {
    runner.end();
    throw thrown;
  }
  const transport = new ModuleTransport(runner, manifest, engine, limits);
  return deadline === undefined ? new PolicyModule(transport, digest) : isolated(transport, digest);
}

/** Returns the limits of a module. */
function limitsOf(options: ModuleOptions | undefined) {
  const given = optionsOf<keyof ModuleOptions, ModuleOptions>(options, FORM);
  const number = (name: keyof ModuleOptions, least: number, most: number, usual: number) => {
    const value: unknown = given[name] ?? usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    const found = typeof value === "number" ? String(value) : kindOf(value);
    throw wrongUsage(`\`${name}\` is a whole number from ${least} to ${most}, found ${found}`);
  };
  const { workerUrl, deadlineMs } = given;
  const url = typeof workerUrl === "object" ? propertyOf(workerUrl, "href") : workerUrl;
  if (url !== undefined && typeof url !== "string") {
    throw wrongUsage(`\`workerUrl\` is the URL of a script, found ${kindOf(workerUrl)}`);
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

/** Returns a private copy of the module's bytes, so that later writes cannot change the bytes between the checks and the compilation. */
function bytesOf(bytes: unknown, limit: number): Uint8Array<ArrayBuffer> {
  const kind = Object.prototype.toString.call(bytes);
  if (kind === "[object WebAssembly.Module]") {
    throw wrongUsage("expected the bytes of a module, found a `WebAssembly.Module`, which does not show its memory and its digest");
  }
  if (kind === "[object Response]" || kind === "[object Promise]") {
    throw wrongUsage("expected the bytes of a module: write `await (await fetch(url)).arrayBuffer()`");
  }
  const copy = copyOf(bytes, limit);
  if (copy instanceof Uint8Array) return copy;
  if (copy === undefined) throw wrongUsage(`expected the bytes of a module in a \`Uint8Array\` or an \`ArrayBuffer\`, found ${kindOf(bytes)}`);
  throw new AdjudicateError("module_too_large", `the module has ${copy} bytes, the limit is ${limit}`);
}

async function compile(module: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(module);
  } catch (cause) {
    const isValid = WebAssembly.validate(module);
    const reason = reasonOf(cause);
    if (!isValid) throw /\benable|\bfeature\b|experimental/i.test(reason) ? feature(reason) : malformed(reason);
    throw new AdjudicateError("module_compile", `the platform cannot compile the module: ${reason}`, "", { cause });
  }
}

/** Reads the manifest of a module, and compares it with the module's memory. */
function manifestIn(sections: readonly ArrayBuffer[], memoryMaximum: number, engine: Instance): ModuleManifest {
  const [section, ...more] = sections;
  if (section === undefined) throw manifestRefusal("the module has no custom section `adjudicate.manifest`; append one");
  if (more.length > 0) throw manifestRefusal(`the module has ${sections.length} sections \`adjudicate.manifest\`; keep one`);
  const manifest = engine.manifestOf(new Uint8Array(section));
  const { policy, limits } = own(manifest);
  if (policy !== undefined && !manifest.operations.includes("evaluate")) {
    throw manifestRefusal("a module with a policy must offer `evaluate`", "/operations");
  }
  if ((own(limits).memory_bytes ?? 0) > memoryMaximum) {
    const message = "the manifest asks for more memory than the declared maximum of the module's memory";
    throw manifestRefusal(message, "/limits/memory_bytes");
  }
  return manifest;
}

function manifestRefusal(message: string, path?: string): AdjudicateError {
  return new AdjudicateError("module_manifest", `manifest: ${message}`, path);
}

/** Rejects a module whose memory may exceed the limit, or whose manifest asks for higher limits. JavaScript has no fuel, so none is checked. */
function admit(maximum: number, manifest: ModuleManifest, limits: ReturnType<typeof limitsOf>): void {
  if (maximum > limits.memory) {
    const advice = "give the linker a lower maximum, or the host a higher `memoryBytes`";
    throw new AdjudicateError("module_too_large", `the memory may grow to ${maximum} bytes, the limit is ${limits.memory}; ${advice}`);
  }
  for (const [name, given, option] of [
    ["memory_bytes", limits.memory, "memoryBytes"],
    ["input_bytes", limits.input, "inputBytes"],
    ["output_bytes", limits.output, "outputBytes"],
  ] as const) {
    const needed = own(own(manifest).limits)[name] ?? 0;
    if (needed <= given) continue;
    const message = `the manifest asks for ${needed} of \`${name}\`, the limit of this host is ${given}; raise \`${option}\``;
    throw new AdjudicateError("module_needs", message, `/limits/${name}`);
  }
}

function checkMinorVersion(minor: number): void {
  if (minor === 0) return;
  const found = minor < 0 ? `the invalid minor version ${minor}` : `version 1.${minor}`;
  throw new AdjudicateError("module_abi", `expected a module for version 1.0 of the interface, found ${found}`);
}

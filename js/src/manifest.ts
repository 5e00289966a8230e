/**
 * The manifest of a module: its name, version, operations and limits, in a custom section.
 *
 * `host/sandbox/src/manifest` is the reader of the native host. Both report the same paths.
 */
import { AdjudicateError } from "./error.js";
import type { OperationName } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { own } from "./own.js";
import { isClose } from "./suggest.js";
import { kindOf, shortened } from "./usage.js";

/** The limit of a manifest, in bytes. */
const MAX_BYTES = 256 << 10;

/** The manifest of a module. Fields that begin with `x-` belong to its author. */
export interface ModuleManifest {
  /** The major version of the interface. */
  readonly abi: 1;
  /** The module's name, for humans. Two modules may have the same name. */
  readonly name: string;
  /** The module's version. */
  readonly version: string;
  /** The purpose of the module. */
  readonly description?: string;
  /** The module's license. */
  readonly license?: string;
  /** The operations of the module: at least one, each once. */
  readonly operations: readonly OperationName[];
  /** The engine that the module contains, if any. */
  readonly engine?: { readonly name: string; readonly version: string };
  /** The policy that is embedded in the module, if any. */
  readonly policy?: { readonly name: string; readonly version: string; readonly digest: string; readonly rules: readonly string[] };
  /** The limits that the module asks a host for. */
  readonly limits?: {
    readonly fuel?: number;
    readonly memory_bytes?: number;
    readonly input_bytes?: number;
    readonly output_bytes?: number;
  };
  /** The JSON Schema of the document, for editors. The package ignores it. */
  readonly $schema?: string;
  /** Extensions of the author, which the package ignores. */
  readonly [extension: `x-${string}`]: unknown;
}

/**
 * Reads the manifest of a module, and compares it with the module's memory.
 *
 * @param manifests The sections named `adjudicate.manifest`. A module has exactly one.
 * @param memoryMaximum The maximum of the module's memory, in bytes.
 * @param engine Checks the text by the rules of all documents.
 * @throws {AdjudicateError} `module_manifest`, with the path of the wrong field.
 * @internal
 */
export function readManifest(manifests: readonly Uint8Array[], memoryMaximum: number, engine: Instance): ModuleManifest {
  const [text, ...more] = manifests;
  if (text === undefined) throw refusal("the module has no custom section `adjudicate.manifest`; append one");
  if (more.length > 0) throw refusal(`the module has ${manifests.length} sections \`adjudicate.manifest\`; keep one`);
  if (text.length > MAX_BYTES) throw refusal(`${text.length} bytes are over the limit of ${MAX_BYTES}`);
  try {
    engine.read(text);
  } catch (thrown) {
    if (!(thrown instanceof AdjudicateError) || thrown.code === "trap") throw thrown;
    throw refusal(thrown.message, thrown.path);
  }
  const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  MANIFEST(JSON.parse(withoutFractions(json)), "", engine.operations);
  const manifest = frozen(JSON.parse(json)) as ModuleManifest;
  const { policy, limits } = own(manifest);
  if (policy !== undefined && !manifest.operations.includes("evaluate")) {
    throw refusal("a module with a policy must offer `evaluate`", "/operations");
  }
  if ((own(limits).memory_bytes ?? 0) > memoryMaximum) {
    const message = "the manifest asks for more memory than the declared maximum of the module's memory";
    throw refusal(message, "/limits/memory_bytes");
  }
  return manifest;
}

/** The JSON text in place of a number that is not an unsigned integer of 64 bits. No checked field accepts it. */
const FRACTION = "[null]";

/** Replaces numbers that are not unsigned integers of 64 bits, because `JSON.parse` reads `1.0` as `1`. */
function withoutFractions(json: string): string {
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || (/^\d+$/.test(token) && BigInt(token) < 2n ** 64n) ? token : FRACTION,
  );
}

/** Throws if a value does not have the expected form. */
type Check = (value: unknown, path: string, operations: readonly string[]) => void;

/** Accepts every value. */
const any: Check = () => {};

function object(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  // A map, because the names in the manifest are untrusted.
  const fields = new Map([...Object.entries(required), ...Object.entries(optional)]);
  return (value, path, operations) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw expected("an object", value, path);
    for (const [name, field] of Object.entries(value)) {
      const check = fields.get(name);
      if (check !== undefined) check(field, `${path}/${name}`, operations);
      else if (!name.startsWith("x-")) throw unknownField(name, [...fields.keys()], path);
    }
    for (const name of Object.keys(required)) {
      if (!Object.hasOwn(value, name)) throw refusal(`missing field \`${name}\``, `${path}/${name}`);
    }
  };
}

function unknownField(name: string, known: readonly string[], path: string): AdjudicateError {
  const close = known.find((candidate) => isClose(name, candidate));
  const hint = close === undefined ? "" : `, did you mean \`${close}\`?`;
  const pointer = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return refusal(`unknown field \`${shortened(name)}\`${hint}`, `${path}/${pointer}`);
}

function list(item: Check): Check {
  return (value, path, operations) => {
    if (!Array.isArray(value)) throw expected("a list", value, path);
    for (const [index, element] of value.entries()) item(element, `${path}/${index}`, operations);
  };
}

const text: Check = (value, path) => {
  if (typeof value !== "string") throw expected("a string", value, path);
};

const name: Check = (value, path, operations) => {
  text(value, path, operations);
  if (value === "") throw refusal("expected a string that is not empty", path);
};

/** Names that the command would read as a digest or an option. */
const AMBIGUOUS_NAME = /^(?:-|sha256:|(?:[0-9a-z+._-]+:)?[0-9a-f]{8,}$)/i;

const moduleName: Check = (value, path, operations) => {
  name(value, path, operations);
  if (AMBIGUOUS_NAME.test(value as string)) throw refusal("a module's name must not look like a digest or an option", path);
};

const NUMBER = "(?:0|[1-9]\\d{0,18})";
const PRERELEASE = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

const version: Check = (value, path, operations) => {
  text(value, path, operations);
  if (VERSION.test(value as string)) return;
  throw refusal(`expected a version such as \`1.2.0\`, found \`${shortened(value as string)}\``, path);
};

const digest: Check = (value, path, operations) => {
  text(value, path, operations);
  if (/^(?:sha256:)?[0-9a-fA-F]{64}$/.test(value as string)) return;
  const message = `\`${shortened(value as string)}\` is not a digest: expected \`sha256:\` and 64 hexadecimal digits`;
  throw refusal(message, path);
};

const abi: Check = (value, path) => {
  if (typeof value !== "number") throw refusal("expected a whole number", path);
  if (value !== 1) throw refusal(`expected version \`1\`, found \`${value}\``, path);
};

const amount: Check = (value, path) => {
  const isAmount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (!isAmount) throw refusal("expected a whole number from 0 to 18446744073709551615", path);
};

const operation: Check = (value, path, operations) => {
  text(value, path, operations);
  if (operations.includes(value as string)) return;
  throw refusal(`unknown operation \`${shortened(value as string)}\``, path);
};

const operationList: Check = (value, path, operations) => {
  list(operation)(value, path, operations);
  const named = value as string[];
  const twice = named.find((candidate, index) => named.indexOf(candidate) < index);
  if (twice !== undefined) throw refusal(`\`${twice}\` is a duplicate`, path);
  if (named.length === 0) throw refusal("expected at least one operation", path);
};

const MANIFEST = object(
  { abi, name: moduleName, version, operations: operationList },
  {
    description: text,
    license: text,
    engine: object({ name, version }),
    policy: object({ name, version, digest, rules: list(text) }),
    limits: object({}, { fuel: amount, memory_bytes: amount, input_bytes: amount, output_bytes: amount }),
    $schema: any,
  },
);

function expected(what: string, value: unknown, path: string): AdjudicateError {
  return refusal(`expected ${what}, found ${kindOf(value)}`, path);
}

function refusal(message: string, path = ""): AdjudicateError {
  return new AdjudicateError("module_manifest", `manifest: ${message}`, path);
}

/** Freezes a value and everything in it. The depth of a document is bounded, so the recursion is, too. */
function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

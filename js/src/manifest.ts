/**
 * The manifest: what a module says of itself, in a custom section that is read without running anything.
 *
 * Owns its JSON form and its strict reading, as `host/sandbox/src/manifest` does for the native host, with the same paths.
 */
import { AdjudicateError } from "./error.js";
import type { OperationName } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { own } from "./own.js";
import { isClose } from "./suggest.js";
import { kindOf, shortened } from "./usage.js";

/** How many bytes the manifest may have. */
const MAX_BYTES = 256 << 10;

/** What a module says of itself. Members that begin with `x-` are its author's. */
export interface ModuleManifest {
  /** The major version of the interface. */
  readonly abi: 1;
  /** The module's name, for people; it identifies nothing. */
  readonly name: string;
  /** The module's version. */
  readonly version: string;
  /** What the module is for. */
  readonly description?: string;
  /** The module's licence. */
  readonly license?: string;
  /** The operations it offers, at least one, each once. */
  readonly operations: readonly OperationName[];
  /** The engine it is built on, if it says so. */
  readonly engine?: { readonly name: string; readonly version: string };
  /** The policy that is baked into it, if one is. */
  readonly policy?: { readonly name: string; readonly version: string; readonly digest: string; readonly rules: readonly string[] };
  /** What it needs of a host. */
  readonly limits?: {
    readonly fuel?: number;
    readonly memory_bytes?: number;
    readonly input_bytes?: number;
    readonly output_bytes?: number;
  };
  /** For editors: the JSON Schema of the document. It is ignored. */
  readonly $schema?: string;
  /** Extensions: carried by the author, read by nobody. */
  readonly [extension: `x-${string}`]: unknown;
}

/**
 * Reads the one manifest that there must be, and compares it with the memory of its module.
 *
 * @param engine Reads the text by the rules of all documents.
 * @throws {AdjudicateError} `module_manifest`, with the path of the member at fault.
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
    throw refusal("a policy is baked in, yet `evaluate`, which it would decide, is not offered", "/operations");
  }
  if ((own(limits).memory_bytes ?? 0) > memoryMaximum) {
    const message = "the module says it needs more memory than its memory's declared maximum";
    throw refusal(message, "/limits/memory_bytes");
  }
  return manifest;
}

/** What stands for a number that is not digits alone, of 64 bits: `JSON.parse` does not tell `1.0` from `1`. */
const FRACTION = "[null]";

/** The same text, with such numbers marked. */
function withoutFractions(json: string): string {
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || (/^\d+$/.test(token) && BigInt(token) < 2n ** 64n) ? token : FRACTION,
  );
}

/** Refuses a value that is not of a form. */
type Check = (value: unknown, path: string, operations: readonly string[]) => void;

/** Whatever it is. */
const any: Check = () => {};

function object(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  // Maps, for the names that are looked up in them are the module's.
  const members = new Map([...Object.entries(required), ...Object.entries(optional)]);
  return (value, path, operations) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw expected("an object", value, path);
    for (const [name, member] of Object.entries(value)) {
      const check = members.get(name);
      if (check !== undefined) check(member, `${path}/${name}`, operations);
      else if (!name.startsWith("x-")) throw unknownField(name, [...members.keys()], path);
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
    for (const [index, member] of value.entries()) item(member, `${path}/${index}`, operations);
  };
}

const text: Check = (value, path) => {
  if (typeof value !== "string") throw expected("a string", value, path);
};

const name: Check = (value, path, operations) => {
  text(value, path, operations);
  if (value === "") throw refusal("expected a string that is not empty", path);
};

/** What commands take for a digest, or for an option. */
const NO_NAME = /^(?:-|sha256:|(?:[0-9a-z+._-]+:)?[0-9a-f]{8,}$)/i;

const moduleName: Check = (value, path, operations) => {
  name(value, path, operations);
  if (NO_NAME.test(value as string)) throw refusal("a module's name does not look like a digest or an option", path);
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
  if (value !== 1) throw refusal(`this host speaks version \`1\` only, found \`${value}\``, path);
};

const amount: Check = (value, path) => {
  const isAmount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (!isAmount) throw refusal("expected a whole number from 0 to 18446744073709551615", path);
};

const operation: Check = (value, path, operations) => {
  text(value, path, operations);
  if (operations.includes(value as string)) return;
  throw refusal(`\`${shortened(value as string)}\` is not an operation that this host knows`, path);
};

const operationList: Check = (value, path, operations) => {
  list(operation)(value, path, operations);
  const named = value as string[];
  const twice = named.find((candidate, index) => named.indexOf(candidate) < index);
  if (twice !== undefined) throw refusal(`\`${twice}\` is there twice`, path);
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

/** The same, and all that is in it, not to be changed. Its depth is that of a document, which is bounded. */
function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/**
 * Checks the policy document embedded in a module against its manifest.
 *
 * The custom section `adjudicate.policy` has the document as canonical JSON, compressed with zlib. `host/sandbox/src/embedded_policy.rs`
 * does the same in the native host.
 */
import { AdjudicateError } from "./error.js";
import type { ModuleManifest, PolicyInfo } from "./generated/types.js";
import type { Instance } from "./instance.js";
import { own } from "./own.js";
import { PolicyHandle } from "./policy-handle.js";
import { MAX_DOCUMENT_BYTES } from "./text.js";

/** The name of the custom section. */
export const POLICY_SECTION = "adjudicate.policy";

/**
 * Rejects a module whose embedded policy differs from its manifest. Accepts a module without one.
 *
 * @throws {AdjudicateError} `module_manifest`, with the path of the field that differs.
 * @internal
 */
export async function checkEmbeddedPolicy(sections: readonly ArrayBuffer[], manifest: ModuleManifest, engine: Instance): Promise<void> {
  const [section, ...more] = sections;
  if (section === undefined) return;
  if (more.length > 0) throw wrong(`the module has ${sections.length} of them; keep one`);
  const label = own(manifest).policy;
  if (label === undefined) {
    throw refusal(`manifest: the module has a policy in \`${POLICY_SECTION}\`; add the field \`policy\``, "/policy");
  }
  const text = await decompressed(section);
  const policy = policyOf(text, engine);
  if (engine.digestOf(text) !== policy.digest) throw wrong("it is not canonical JSON");
  const disagrees = {
    digest: `sha256:${label.digest.slice(-64).toLowerCase()}` !== policy.digest,
    name: label.name !== policy.name,
    version: label.version !== policy.version,
    rules: label.rules.length !== policy.rules.length || policy.rules.some(({ id }, at) => id !== label.rules[at]),
  };
  for (const [field, isOther] of Object.entries(disagrees)) {
    if (isOther) throw refusal(`manifest: the policy in \`${POLICY_SECTION}\` has another ${field}`, `/policy/${field}`);
  }
}

/** Decompresses a section. A document over the limit is an error, and so are bytes after the stream. */
async function decompressed(section: ArrayBuffer): Promise<Uint8Array> {
  const text = await inflate(section);
  // Some platforms ignore bytes after the stream, Node 20 for example. Only there the stream is complete without its last byte.
  if (text === undefined || (await inflate(section.slice(0, -1))) !== undefined) {
    throw wrong("expected one zlib stream of at most 8 MiB of text, and no bytes after it");
  }
  return text;
}

/** Returns the content of a stream if it is complete and within the limit. It never decompresses more than the limit. */
async function inflate(compressed: ArrayBuffer): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    const stream = new Blob([compressed]).stream();
    const reader = stream.pipeThrough(new DecompressionStream("deflate")).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > MAX_DOCUMENT_BYTES) {
        void reader.cancel().catch(() => undefined);
        return undefined;
      }
      pieces.push(value);
    }
  } catch {
    return undefined;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

function policyOf(text: Uint8Array, engine: Instance): PolicyInfo {
  const handle = new PolicyHandle(engine, text);
  try {
    return handle.info();
  } catch (thrown) {
    if (!(thrown instanceof AdjudicateError) || thrown.code === "trap") throw thrown;
    throw wrong(`${thrown.code}: ${thrown.message}`);
  } finally {
    handle.release();
  }
}

function wrong(message: string): AdjudicateError {
  return refusal(`the section \`${POLICY_SECTION}\`: ${message}`);
}

function refusal(message: string, path = ""): AdjudicateError {
  return new AdjudicateError("module_manifest", message, path);
}

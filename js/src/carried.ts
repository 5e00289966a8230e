/**
 * The policy document that a module carries, held against what its manifest says of it.
 *
 * Owns the section `adjudicate.policy`, as `host/sandbox/src/carried.rs` does for the native host: the document as canonical JSON,
 * packed by zlib. Nothing of it is kept; who is shown a manifest with a policy in it is shown that policy.
 */
import { AdjudicateError } from "./error.js";
import type { PolicyInfo } from "./generated/types.js";
import type { Instance } from "./instance.js";
import type { ModuleManifest } from "./manifest.js";
import { own } from "./own.js";
import { Slot } from "./slot.js";
import { MAX_DOCUMENT_BYTES } from "./text.js";

/** The name of the custom section with the document. */
export const CARRIED = "adjudicate.policy";

/**
 * Refuses a module that carries another policy than its manifest says; one that carries none is as it is.
 *
 * @throws {AdjudicateError} `module_manifest`, with the path of what disagrees.
 * @internal
 */
export async function checkCarried(sections: readonly Uint8Array[], manifest: ModuleManifest, engine: Instance): Promise<void> {
  const [section, ...more] = sections;
  if (section === undefined) return;
  if (more.length > 0) throw wrong(`there are ${sections.length} of them; keep one`);
  const label = own(manifest).policy;
  if (label === undefined) {
    throw refusal(`manifest: the module carries a policy in \`${CARRIED}\`, of which nothing is said`, "/policy");
  }
  const text = await unpacked(section);
  const policy = policyOf(text, engine);
  if (engine.digestOf(text) !== policy.digest) throw wrong("it is not canonical JSON");
  const disagrees = {
    digest: `sha256:${label.digest.slice(-64).toLowerCase()}` !== policy.digest,
    name: label.name !== policy.name,
    version: label.version !== policy.version,
    rules: label.rules.length !== policy.rules.length || policy.rules.some(({ id }, at) => id !== label.rules[at]),
  };
  for (const [member, isOther] of Object.entries(disagrees)) {
    if (isOther) throw refusal(`manifest: the module carries another policy in \`${CARRIED}\` than it says`, `/policy/${member}`);
  }
}

/** What was packed, unless it is more than a document may be, or something stands behind it. */
async function unpacked(section: Uint8Array): Promise<Uint8Array> {
  const text = await inflated(section);
  // Some platforms pass over what follows the stream, Node 20 among them. There, and nowhere else, it is whole without the last byte.
  if (text === undefined || (await inflated(section.subarray(0, -1))) !== undefined) {
    throw wrong("it is not packed by zlib and nothing else, or has over 8 MiB when it is unpacked");
  }
  return text;
}

/** What a stream holds, if it is whole and not too long: no more than that is unpacked. */
async function inflated(packed: Uint8Array): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
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
  const text = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    text.set(piece, at);
    at += piece.length;
  }
  return text;
}

function policyOf(text: Uint8Array, engine: Instance): PolicyInfo {
  const slot = new Slot(engine, text);
  try {
    return slot.info();
  } catch (thrown) {
    if (!(thrown instanceof AdjudicateError) || thrown.code === "trap") throw thrown;
    throw wrong(`${thrown.code}: ${thrown.message}`);
  } finally {
    slot.release();
  }
}

function wrong(what: string): AdjudicateError {
  return refusal(`the section \`${CARRIED}\`: ${what}`);
}

function refusal(message: string, path = ""): AdjudicateError {
  return new AdjudicateError("module_manifest", message, path);
}

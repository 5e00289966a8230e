/** Links that carry the documents themselves: compressed, in the part of an address that is never sent anywhere. */

/** What a link carries. */
export interface Shared {
  readonly view: string;
  readonly envelope: string;
  readonly policy: string;
  readonly other: string;
  readonly plan: string;
}

/** Why a link cannot be read. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

const PREFIX = "v1.";
const MEMBERS = ["view", "envelope", "policy", "other", "plan"] as const;
/** How long a link may be, and what it may grow to: a small link may stand for gigabytes. */
const MAX_LINK = 2 << 20;
const MAX_BYTES = 16 << 20;

/** What stands behind the `#` of a link. */
export async function encode(shared: Shared): Promise<string> {
  const text = JSON.stringify(MEMBERS.map((name) => shared[name]));
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
  const fragment = PREFIX + base64url(bytes);
  if (fragment.length > MAX_LINK)
    throw new LinkError(`the documents are too long for a link: it would have ${fragment.length} characters`);
  return fragment;
}

/**
 * What a link carries.
 *
 * @throws {LinkError} for anything that `encode` did not write.
 */
export async function decode(fragment: string): Promise<Shared> {
  if (!fragment.startsWith(PREFIX)) throw new LinkError("it is not of a form that this page knows");
  if (fragment.length > MAX_LINK) throw new LinkError(`it has ${fragment.length} characters, the limit is ${MAX_LINK}`);
  const bytes = await through(fromBase64url(fragment.slice(PREFIX.length)), new DecompressionStream("deflate-raw"), MAX_BYTES);
  return sharedOf(parsed(bytes));
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new LinkError("it holds something else than documents");
  }
}

function sharedOf(value: unknown): Shared {
  const isWhole = Array.isArray(value) && value.length === MEMBERS.length && value.every((part) => typeof part === "string");
  if (!isWhole) throw new LinkError("it holds something else than documents");
  const [view, envelope, policy, other, plan] = value as [string, string, string, string, string];
  return { view, envelope, policy, other, plan };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = (new Blob([bytes]).stream() as ReadableStream)
    .pipeThrough(stream)
    .getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length;
      if (length > limit) throw new LinkError(`it stands for more than ${limit} bytes`);
      parts.push(part.value);
    }
  } catch (thrown) {
    await reader.cancel().catch(() => undefined);
    throw thrown instanceof LinkError ? thrown : new LinkError("it is damaged or was cut off");
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new LinkError("it has characters that no link has");
  let binary: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new LinkError("it is damaged or was cut off");
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Links that contain the documents, compressed, in the fragment of the address. Browsers never send the fragment to a server. */

/** The content of a link. */
export interface SharedDocuments {
  readonly view: string;
  readonly envelope: string;
  readonly policy: string;
  readonly other: string;
  readonly plan: string;
}

/** The reason why a link cannot be read, or made. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

const PREFIX = "v1.";
const VERDICT = "verdict=";
const NAMES = ["view", "envelope", "policy", "other", "plan"] as const;
/**
 * The limits of a link and of its decompressed documents. Firefox refuses an address of more than 2^20 characters. A short link can decompress to
 * gigabytes.
 */
const MAX_LINK = 1_000_000;
const MAX_BYTES = 16 << 20;

/** Returns the fragment of a link, after the `#`. */
export async function encode(shared: SharedDocuments): Promise<string> {
  const text = JSON.stringify(NAMES.map((name) => shared[name]));
  const fragment = PREFIX + (await compressed(text));
  if (fragment.length > MAX_LINK)
    throw new LinkError(`the documents are too long: the link would have ${fragment.length} characters, the limit is ${MAX_LINK}`);
  return fragment;
}

/**
 * Returns the content of a link.
 *
 * @throws {LinkError} if the link is not valid.
 */
export async function decode(fragment: string): Promise<SharedDocuments> {
  if (!fragment.startsWith(PREFIX)) throw new LinkError("unknown format");
  const text = await decompressed(fragment.slice(PREFIX.length), "no documents of this page");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LinkError("no documents of this page");
  }
  return sharedOf(value);
}

/** Returns the text of the verdict in a link, and `undefined` for any other link. `adjudicate verdict make --link` makes such links. */
export async function verdictIn(fragment: string): Promise<string | undefined> {
  return fragment.startsWith(VERDICT) ? decompressed(fragment.slice(VERDICT.length), "no verdict") : undefined;
}

async function compressed(text: string): Promise<string> {
  return base64url(await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY));
}

async function decompressed(data: string, otherwise: string): Promise<string> {
  if (data.length > MAX_LINK) throw new LinkError(`${data.length} characters, the limit is ${MAX_LINK}`);
  const bytes = await through(fromBase64url(data), new DecompressionStream("deflate-raw"), MAX_BYTES);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new LinkError(otherwise);
  }
}

function sharedOf(value: unknown): SharedDocuments {
  const isWhole = Array.isArray(value) && value.length === NAMES.length && value.every((part) => typeof part === "string");
  if (!isWhole) throw new LinkError("no documents of this page");
  const [view, envelope, policy, other, plan] = value as [string, string, string, string, string];
  return { view, envelope, policy, other, plan };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = (new Blob([bytes]).stream() as ReadableStream)
    .pipeThrough(stream)
    .getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length;
      if (length > limit) throw new LinkError(`more than ${limit} bytes of documents`);
      parts.push(part.value);
    }
  } catch (thrown) {
    await reader.cancel().catch(() => undefined);
    throw thrown instanceof LinkError ? thrown : new LinkError("damaged or incomplete data");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new LinkError("invalid characters");
  let binary: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new LinkError("damaged or incomplete data");
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

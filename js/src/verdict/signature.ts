/** Ed25519 signatures of verdicts, by the platform. */
import { reasonOf } from "../error.js";
import type { VerdictSignature } from "../generated/types.js";
import { hex } from "../text.js";
import { wrongUsage } from "../usage.js";
import type { SignatureReport, SigningKeys } from "./types.js";

const ALGORITHM = "Ed25519";
const PREFIX = "ed25519:";

/**
 * Signs a message.
 *
 * @throws {AdjudicateError} `wrong_usage` if these are no keys that can sign.
 */
export async function signed(message: string, keys: SigningKeys): Promise<VerdictSignature> {
  try {
    const bytes = await crypto.subtle.sign(ALGORITHM, keys.privateKey as CryptoKey, new TextEncoder().encode(message));
    const key = await crypto.subtle.exportKey("raw", keys.publicKey as CryptoKey);
    return { key: PREFIX + hex(new Uint8Array(key)), bytes: hex(new Uint8Array(bytes)) };
  } catch (cause) {
    throw wrongUsage(`cannot sign with this key: ${reasonOf(cause)}`, cause);
  }
}

/**
 * Verifies the signature of a message.
 *
 * @throws {AdjudicateError} `wrong_usage` if the platform has no Ed25519.
 */
export async function verified(message: string, signature: VerdictSignature | undefined, trusted: ReadonlySet<string>): Promise<SignatureReport> {
  if (signature === undefined) return { state: "none" };
  const { key } = signature;
  if (!(await isBy(key, signature.bytes, message))) return { state: "broken", key };
  return { state: trusted.has(key.toLowerCase()) ? "trusted" : "untrusted", key };
}

/**
 * The points of small order, without the sign of x (RFC 8032). Anyone can make signatures of such keys, and not every platform refuses them.
 */
const SMALL_ORDER = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
]);

/** Returns whether the first 32 bytes are a point of small order. */
function isOfSmallOrder(bytes: Uint8Array): boolean {
  const point = bytes.slice(0, 32);
  point[31] = (point[31] ?? 0) & 0x7f;
  return SMALL_ORDER.has(hex(point));
}

async function isBy(key: string, digits: string, message: string): Promise<boolean> {
  const [raw, bytes] = [key.startsWith(PREFIX) ? fromHex(key.slice(PREFIX.length), 32) : undefined, fromHex(digits, 64)];
  if (raw === undefined || bytes === undefined || isOfSmallOrder(raw) || isOfSmallOrder(bytes)) return false;
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey("raw", raw, ALGORITHM, false, ["verify"]);
  } catch (cause) {
    // A point that is not on the curve.
    if ((cause as { name?: unknown } | null)?.name === "DataError") return false;
    throw wrongUsage(`this platform cannot verify Ed25519: ${reasonOf(cause)}`, cause);
  }
  return crypto.subtle.verify(ALGORITHM, imported, bytes, new TextEncoder().encode(message));
}

/** Returns the bytes of hexadecimal digits, if there are exactly `length` bytes. */
function fromHex(digits: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (digits.length !== 2 * length || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

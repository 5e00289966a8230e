/** Ed25519 signatures of verdicts, by the platform. */
import { reasonOf } from "../error.js";
import type { VerdictSignature } from "../generated/types.js";
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
    return { key: PREFIX + hex(key), bytes: hex(bytes) };
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

async function isBy(key: string, digits: string, message: string): Promise<boolean> {
  const [raw, bytes] = [key.startsWith(PREFIX) ? fromHex(key.slice(PREFIX.length), 32) : undefined, fromHex(digits, 64)];
  if (raw === undefined || bytes === undefined) return false;
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

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the bytes of hexadecimal digits, if there are exactly `length` bytes. */
function fromHex(digits: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (digits.length !== 2 * length || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** The options and parts of verdicts. The engine's types describe the reports. */
import type { OperationName } from "../generated/types.js";
import type { IsolatedModule, PolicyModule } from "../module.js";
import type { JsonText } from "../text.js";

export type { SignatureReport, SignatureState, VerdictReport } from "../generated/types.js";

/** The options of `makeVerdict`. */
export interface MakeVerdictOptions {
  /** The policy document of the call. The input has none then. */
  readonly policy?: JsonText | null | undefined;
  /** The module that decides. Default: the engine. */
  readonly module?: PolicyModule | IsolatedModule | null | undefined;
  /** The Ed25519 keys to sign with, as `crypto.subtle.generateKey` returns them. The public key must be extractable. */
  readonly sign?: SigningKeys | null | undefined;
}

/** The part of a `CryptoKeyPair` that signing uses. */
export interface SigningKeys {
  /** The `CryptoKey` of the secret key. */
  readonly privateKey: object;
  /** The `CryptoKey` of the public key. */
  readonly publicKey: object;
}

/** The options of `verifyVerdict`. */
export interface VerifyVerdictOptions {
  /** The module that decides again. Default: the engine. */
  readonly module?: PolicyModule | IsolatedModule | null | undefined;
  /** The public keys that you trust, each `ed25519:` and 64 hexadecimal digits, as `adjudicate keygen` prints them. */
  readonly keys?: readonly string[] | null | undefined;
}

/** The parts of a verdict, as JSON text. */
export interface VerdictParts {
  /** The name of the operation. */
  readonly operation: OperationName;
  /** The input of the call, without the policy if `policy` is present. */
  readonly input: string;
  /** The policy document of the call. */
  readonly policy?: string;
}

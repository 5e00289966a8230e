//! Trust: verifies the signatures of a module and judges it by a trust policy (docs/reference/trust.md).
//!
//! ```text
//! module bytes -> Credentials (digests, name, version, signatures; no key is needed)
//! Credentials + TrustPolicy + context (when, for what, what was in force) -> Verdict, or one stable error code
//! ```
//!
//! This module owns keys and their files, signing, the form of a trust policy and judging. The signature section belongs to
//! `adjudicate-sandbox` and is re-exported here. The module has no clock and no store: the time and the active versions are
//! arguments. It reads the names of a module's sections and its manifest; `inspect` checks the rest.
//!
//! # Signed bytes
//!
//! A signature covers all bytes of the module. It is over the SHA-256 of all bytes after the signature section, which must be the
//! first and only section of its name. Before it are the eight bytes with which every module begins; other bytes are rejected. So
//! every byte that is run or read is signed, and an inserted section is detected. The format is that of `wasmsign2`;
//! `docs/reference/abi.md` describes it byte by byte.
//!
//! # Two digests
//!
//! A module's *digest* is the SHA-256 of all its bytes, including its signatures. Stores, pins and decision records use it. The
//! *content digest* is the signed one. A new signature changes the digest, but not the content digest.
//!
//! ```
//! use adjudicate_host::trust::{Credentials, TrustAction, TrustContext, SecretKey, TrustPolicy, sign};
//! # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
//! # let module = adjudicate_sandbox::manifest::append(b"\0asm\x01\0\0\0", json)?;
//! let key = SecretKey::generate()?;
//! let signed = sign(&module, &key)?;
//! let policy = format!(r#"{{"keys": [{{"name": "release", "public_key": "{}"}}]}}"#, key.public());
//! let policy = TrustPolicy::parse(policy.as_bytes())?;
//!
//! let context = TrustContext { action: TrustAction::Install, now: 1_790_000_000_000, highest: None };
//! let verdict = policy.judge(&Credentials::read(&signed)?, &context)?;
//! assert_eq!(verdict.signatures[0].name.as_deref(), Some("release"));
//!
//! let error = policy.judge(&Credentials::read(&module)?, &context).unwrap_err();
//! assert_eq!(error.code().as_str(), "module_unsigned");
//! # Ok::<(), adjudicate_core::Error>(())
//! ```

mod context;
mod document;
mod judge;
mod key;
mod key_file;
mod pem;
mod policy;
mod sign;
mod signers;
mod time;
mod verdict;

pub use adjudicate_sandbox::signature::{
    Credentials, KeyId, MAX_SECTION_BYTES, MAX_SIGNATURES, SECTION, Signature,
};
pub use context::{TrustAction, TrustContext};
pub use key::{PublicKey, SecretKey};
pub use policy::{MAX_KEYS, MAX_PINS, MAX_POLICY_BYTES, TrustPolicy};
pub use sign::sign;
pub use time::parse_time;
pub use verdict::{Grounds, SignatureVerdict, Standing, Verdict};

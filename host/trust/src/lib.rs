//! Trust without running anything: verifies signed modules and verdicts, redacts calls, and composes answers.
//!
//! ```text
//! module bytes -> Credentials (digests, name, version, signatures; no key is needed)
//! Credentials + TrustPolicy + TrustContext (action, time, highest active version) -> TrustVerdict, or one stable error code
//! verdict of a call -> the key that signed it -> its name in a TrustPolicy
//! call, answer, patterns -> the same without the redacted values
//! answers of policies and modules -> one composed answer, or the error of one of them
//! ```
//!
//! This crate owns keys and their files, signing, trust policies (docs/reference/trust.md), the manifest section and the signature
//! section of a module, redaction, compositions, and the error of a call. It has no wasmtime, no store and no clock: the time and the
//! active versions are arguments. `adjudicate-sandbox` inspects and runs modules, and `adjudicate-host` keeps them in a store. This
//! crate reads no files except keys.
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
//! # Example
//!
//! ```
//! use adjudicate_trust::{Credentials, TrustAction, TrustContext, SecretKey, TrustPolicy, sign};
//! # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
//! # let module = adjudicate_trust::manifest::append(b"\0asm\x01\0\0\0", json)?;
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

pub mod codes;
pub mod manifest;
pub mod private;
pub mod redaction;
pub mod signature;

mod call_error;
mod compose;
mod document;
mod judge;
mod key;
mod key_file;
mod pem;
mod policy;
mod sign;
mod text;
mod time;
mod verdict;

pub use adjudicate_core::module::Digest;
pub use call_error::{CallError, ErrorPart, ReportedError};
pub use compose::{Base, CallableModule, ComposedMember, MemberFailure, call_module, compose};
pub use key::{PublicKey, SecretKey};
pub use manifest::Manifest;
pub use policy::{MAX_KEYS, MAX_PINS, MAX_POLICY_BYTES, TrustPolicy};
pub use sign::{sign, verdict_key};
pub use signature::{Credentials, KeyId, Signature};
pub use text::{counted, io_reason, visible};
pub use time::parse_time;
pub use verdict::{Grounds, SignatureVerdict, Standing, TrustAction, TrustContext, TrustVerdict};

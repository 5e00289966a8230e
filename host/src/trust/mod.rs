//! Trust: who signed a module, and whether that is enough (SPEC section 13.5).
//!
//! ```text
//! module bytes -> Credentials (digests, name, version, signatures; no key is needed)
//! Credentials + TrustPolicy + occasion (when, for what, what was in force) -> Verdict, or one stable error code
//! ```
//!
//! Owns keys and their files, signing, the trust policy's form and its judgement; the signature section is the sandbox's, re-exported here. It has no clock and no
//! store: what time it is and which version was in force are arguments. It does not look into the module beyond its
//! sections' names and its manifest; that is what `inspect` is for.
//!
//! # What is signed
//!
//! Everything. A signature is over the SHA-256 of all bytes behind the signature section, which must be the first
//! section of the module and the only one of its name. In front of it are the eight bytes with which every module
//! begins, and no others are accepted. So there is no byte that is run or read and not signed, and a section that is
//! put in before, behind or between the others is found. The form is that of `wasmsign2`; `wasm/ABI.md` has it byte by
//! byte.
//!
//! # Two digests
//!
//! A module's *identity* is the SHA-256 of all its bytes, its signatures among them: what a store, a pin and a decision
//! record name. The *content digest* is what is signed. It stays when a signature is added, and the identity does not.
//!
//! ```
//! use adjudicate_host::trust::{Credentials, Moment, Occasion, SecretKey, TrustPolicy, sign};
//! # let json = r#"{"abi":1,"name":"gate","version":"1.4.0","operations":["evaluate"]}"#;
//! # let module = adjudicate_sandbox::manifest::append(b"\0asm\x01\0\0\0", json)?;
//! let key = SecretKey::generate()?;
//! let signed = sign(&module, &key)?;
//! let policy = format!(r#"{{"keys": [{{"name": "release", "public_key": "{}"}}]}}"#, key.public());
//! let policy = TrustPolicy::parse(policy.as_bytes())?;
//!
//! let occasion = Occasion { moment: Moment::Install, now: 1_790_000_000_000, highest: None };
//! let verdict = policy.judge(&Credentials::read(&signed)?, &occasion)?;
//! assert_eq!(verdict.signatures[0].name.as_deref(), Some("release"));
//!
//! let error = policy.judge(&Credentials::read(&module)?, &occasion).unwrap_err();
//! assert_eq!(error.code().as_str(), "module_unsigned");
//! # Ok::<(), adjudicate_core::Error>(())
//! ```

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
pub use judge::{Moment, Occasion};
pub use key::{PublicKey, SecretKey};
pub use policy::{MAX_KEYS, MAX_PINS, MAX_POLICY_BYTES, TrustPolicy};
pub use sign::sign;
pub use time::parse_time;
pub use verdict::{Grounds, SignatureVerdict, Standing, Verdict};

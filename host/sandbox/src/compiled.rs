//! The seal on compiled code outside of the process. This is the only file with `unsafe` in this crate.
//!
//! The cache decides where sealed code is stored.

use std::hash::{Hash, Hasher};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};
use wasmtime::{Engine, Module};

use crate::Digest;

/// The key of a seal: one block of SHA-256. The key of a cache never leaves the directory of that cache. The key of a child is for
/// one module.
pub(crate) type Key = [u8; 64];

const SEAL_BYTES: usize = 32;

/// The module and the engine that compiled code belongs to.
pub(crate) struct Origin {
    pub(crate) module: Digest,
    pub(crate) engine: Digest,
}

impl Origin {
    /// `module` is the digest of a module. The digest of the engine covers everything that its code depends on: version, target,
    /// processor features, settings.
    pub(crate) fn new(module: Digest, engine: &Engine) -> Self {
        let mut hasher = Sha256Hasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self { module, engine: Digest::sha256(&hasher.0.finalize()) }
    }
}

/// Puts a seal in front of compiled code.
pub(crate) fn seal(key: &Key, origin: &Origin, code: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(SEAL_BYTES + code.len());
    sealed.extend(mac(key, origin, code).finalize().into_bytes());
    sealed.extend(code);
    sealed
}

/// Returns the module in these bytes if this key sealed them, unchanged, for this origin.
pub(crate) fn unseal(key: &Key, origin: &Origin, sealed: &[u8], engine: &Engine) -> Option<Module> {
    let (seal, code) = sealed.split_first_chunk::<SEAL_BYTES>()?;
    mac(key, origin, code).verify_slice(seal).ok()?;
    deserialize(engine, code)
}

fn mac(key: &Key, origin: &Origin, code: &[u8]) -> Hmac<Sha256> {
    // Every part except the last has a fixed length, so no two origins give the same text.
    Hmac::<Sha256>::new(key.into())
        .chain_update(b"adjudicate compiled module, 1\n")
        .chain_update(origin.module.as_bytes())
        .chain_update(origin.engine.as_bytes())
        .chain_update(code)
}

#[expect(unsafe_code, reason = "wasmtime trusts compiled code; the seal is what makes that sound")]
fn deserialize(engine: &Engine, code: &[u8]) -> Option<Module> {
    // SAFETY: the bytes must be the unchanged output of `Module::serialize` of this very version. Only `unseal` calls this
    // function, and only for bytes with a valid HMAC under one of two kinds of keys. The key of a cache was drawn at random and is
    // readable for its owner alone: `Cache::open` checks the directory and the key file. It seals only the output of
    // `Module::serialize`. The key of a child was drawn at random for one order and went through a pipe to the program that the
    // host trusts to compile. It seals only the output of `Engine::precompile_module`, which is the same. The sealed origin holds
    // the wasmtime version and every setting. The bytes are in memory, not mapped from a file, so they cannot change between the
    // check and this call. An attacker who can read a cache's key or replace the compiling program can also replace this program.
    unsafe { Module::deserialize(engine, code) }.ok()
}

/// A hasher with a long result that is the same in every run.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest: [u8; 32] = self.0.clone().finalize().into();
        u64::from_le_bytes(digest.first_chunk().copied().unwrap_or_default())
    }
}

//! Compiled code outside of the process: sealing it, and taking it back. The one file with `unsafe` in it.
//!
//! Owns the seal. Where sealed code is kept is the cache's business.

use std::hash::{Hash, Hasher};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};
use wasmtime::{Engine, Module};

use crate::digest::Digest;

/// What compiled code is sealed with: one block of SHA-256. A store's never leaves the store's own directory; a child's is
/// for one module.
pub(crate) type Key = [u8; 64];

const SEAL_BYTES: usize = 32;

/// What compiled code was made from, and for.
pub(crate) struct Origin {
    pub(crate) module: Digest,
    pub(crate) engine: Digest,
}

impl Origin {
    /// The digest of a module, and of everything about an engine that its code depends on: version, target,
    /// processor features, settings.
    pub(crate) fn new(module: Digest, engine: &Engine) -> Self {
        let mut hasher = Sha256Hasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self { module, engine: Digest::of(&hasher.0.finalize()) }
    }
}

/// Compiled code with a seal in front of it.
pub(crate) fn seal(key: &Key, origin: &Origin, code: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(SEAL_BYTES + code.len());
    sealed.extend(mac(key, origin, code).finalize().into_bytes());
    sealed.extend(code);
    sealed
}

/// The module in these bytes, if they were sealed with this key for this origin, whole and unchanged.
pub(crate) fn unseal(key: &Key, origin: &Origin, sealed: &[u8], engine: &Engine) -> Option<Module> {
    let (seal, code) = sealed.split_first_chunk::<SEAL_BYTES>()?;
    mac(key, origin, code).verify_slice(seal).ok()?;
    deserialize(engine, code)
}

fn mac(key: &Key, origin: &Origin, code: &[u8]) -> Hmac<Sha256> {
    // Every part but the last has a fixed length, so no two origins share a text.
    Hmac::<Sha256>::new(key.into())
        .chain_update(b"adjudicate compiled module, 1\n")
        .chain_update(origin.module.as_bytes())
        .chain_update(origin.engine.as_bytes())
        .chain_update(code)
}

#[expect(unsafe_code, reason = "wasmtime trusts compiled code; the seal is what makes that sound")]
fn deserialize(engine: &Engine, code: &[u8]) -> Option<Module> {
    // SAFETY: the bytes must be what `Module::serialize` of this very version gave, unchanged. Only `unseal` calls
    // this, and only for bytes with a valid HMAC under one of two sorts of keys. A store's key was drawn at random, is
    // readable for its owner alone (the directory and the key file are checked at opening), and is used for nothing but
    // the output of `Module::serialize`. A child's key was drawn at random for one order and given, through a pipe, to
    // the program that the host was told to trust with compiling; it seals nothing but what
    // `Engine::precompile_module` gave, which is the same. The sealed origin holds the wasmtime version and every
    // setting. The bytes are in memory, not mapped from a file, so nobody can change them between the check and this
    // call. Whoever can read a store's key, or replace the compiling program, can replace this program just as well.
    unsafe { Module::deserialize(engine, code) }.ok()
}

/// Feeds what is hashed to SHA-256, so that the result is long, and the same in every run.
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

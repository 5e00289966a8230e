//! Modules, keys and policies for the tests of trust. Signature sections are written by hand, so that the reader is not tested
//! with the writer.

use adjudicate_trust::{
    Credentials, SecretKey, TrustAction, TrustContext, TrustPolicy, TrustVerdict, manifest, sign,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// The first bytes of every module.
pub(crate) const PREAMBLE: &[u8] = b"\0asm\x01\0\0\0";

/// 1 November 2026, the day of the tests.
pub(crate) const NOW: i64 = 1_793_491_200_000;

/// The smallest module with a name and a version.
pub(crate) fn module(version: &str) -> Vec<u8> {
    let json = format!(r#"{{"abi":1,"name":"gate","version":"{version}","operations":["evaluate"]}}"#);
    manifest::append(PREAMBLE, &json).unwrap()
}

/// The key of a signer with a name of one letter.
pub(crate) fn key(who: char) -> SecretKey {
    SecretKey::from_seed(&[u8::try_from(u32::from(who)).unwrap(); 32])
}

/// The module, signed by these people in order.
pub(crate) fn signed_by(who: &str, module: &[u8]) -> Vec<u8> {
    who.chars().fold(module.to_vec(), |module, who| sign(&module, &key(who)).unwrap())
}

/// The entry of a signer in a policy.
pub(crate) fn entry(who: char) -> serde_json::Value {
    json!({"name": who.to_string(), "public_key": key(who).public().to_string()})
}

pub(crate) fn policy(document: &serde_json::Value) -> TrustPolicy {
    TrustPolicy::parse(document.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {document}"))
}

/// Reads and judges a module for an installation now.
pub(crate) fn install(module: &[u8], policy: &TrustPolicy) -> Result<TrustVerdict, String> {
    judge(module, policy, TrustAction::Install)
}

/// Reads and judges a module; returns the code of an error.
pub(crate) fn judge(
    module: &[u8],
    policy: &TrustPolicy,
    moment: TrustAction,
) -> Result<TrustVerdict, String> {
    let occasion = TrustContext { action: moment, now: NOW, highest: None };
    let verdict = Credentials::read(module).and_then(|credentials| policy.judge(&credentials, &occasion));
    verdict.map_err(|error| error.code().as_str().to_owned())
}

/// A signature section in parts. [`Forged::new`] creates valid ones, which tests modify.
#[derive(Clone)]
pub(crate) struct Forged {
    pub(crate) id: u8,
    pub(crate) name: &'static str,
    pub(crate) kind: Vec<u8>,
    pub(crate) sets: Vec<Set>,
    /// A wrong number of sets.
    pub(crate) count: Option<Vec<u8>>,
    pub(crate) after: Vec<u8>,
}

/// Hashes and their signatures.
#[derive(Clone)]
pub(crate) struct Set {
    pub(crate) hashes: Vec<[u8; 32]>,
    pub(crate) hash_count: Option<Vec<u8>>,
    pub(crate) signatures: Vec<Entry>,
    pub(crate) signature_count: Option<Vec<u8>>,
    pub(crate) after: Vec<u8>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key_id: Vec<u8>,
    pub(crate) algorithm: u8,
    pub(crate) bytes: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

impl Forged {
    /// The signatures of these people over this content.
    pub(crate) fn new(who: &str, content: &[u8]) -> Self {
        let hash: [u8; 32] = Sha256::digest(content).into();
        let signatures = who.chars().map(|who| Entry::new(who, &hash)).collect();
        let set =
            Set { hashes: vec![hash], hash_count: None, signatures, signature_count: None, after: vec![] };
        Self { id: 0, name: "signature", kind: vec![1, 1, 1], sets: vec![set], count: None, after: vec![] }
    }

    pub(crate) fn data(&self) -> Vec<u8> {
        let count = self.count.clone().unwrap_or_else(|| leb(self.sets.len()));
        let sets: Vec<u8> = self.sets.iter().flat_map(|set| prefixed(&set.write())).collect();
        [&self.kind, &count, &sets, &self.after].map(Vec::as_slice).concat()
    }

    pub(crate) fn section(&self) -> Vec<u8> {
        let contents = [prefixed(self.name.as_bytes()), self.data()].concat();
        [vec![self.id], prefixed(&contents)].concat()
    }

    /// A module with this section and content.
    pub(crate) fn module(&self, content: &[u8]) -> Vec<u8> {
        [PREAMBLE, &self.section(), content].concat()
    }
}

impl Set {
    fn write(&self) -> Vec<u8> {
        let hash_count = self.hash_count.clone().unwrap_or_else(|| leb(self.hashes.len()));
        let count = self.signature_count.clone().unwrap_or_else(|| leb(self.signatures.len()));
        let entries: Vec<u8> = self.signatures.iter().flat_map(|entry| prefixed(&entry.write())).collect();
        [hash_count, self.hashes.concat(), count, entries, self.after.clone()].concat()
    }
}

impl Entry {
    pub(crate) fn new(who: char, hash: &[u8; 32]) -> Self {
        use ed25519_dalek::Signer;
        let (id, seed) = (key(who).public().id().to_string(), [u8::try_from(u32::from(who)).unwrap(); 32]);
        let key_id = (0..12).map(|at| u8::from_str_radix(&id[at * 2..at * 2 + 2], 16).unwrap()).collect();
        let message = [&b"wasmsig\x01\x01\x01"[..], hash].concat();
        let bytes = ed25519_dalek::SigningKey::from_bytes(&seed).sign(&message).to_vec();
        Self { key_id, algorithm: 1, bytes, after: vec![] }
    }

    fn write(&self) -> Vec<u8> {
        [&prefixed(&self.key_id), &[self.algorithm][..], &prefixed(&self.bytes), &self.after].concat()
    }
}

/// Encodes an unsigned number: seven bits per byte.
pub(crate) fn leb(value: usize) -> Vec<u8> {
    match u8::try_from(value) {
        Ok(low) if low < 0x80 => vec![low],
        _ => [vec![u8::try_from(value & 0x7f).unwrap() | 0x80], leb(value >> 7)].concat(),
    }
}

pub(crate) fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [leb(bytes.len()), bytes.to_vec()].concat()
}

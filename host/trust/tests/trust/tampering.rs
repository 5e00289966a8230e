//! Signed modules with changes: each single bit, and random changes.

use adjudicate_trust::{Credentials, TrustPolicy};
use serde_json::json;

use crate::signing::{PREAMBLE, entry, install, module, policy, signed_by};

/// A policy that requires this many signatures of `a` and `b`.
fn asking_for(threshold: usize) -> TrustPolicy {
    policy(&json!({"keys": [entry('a'), entry('b')], "threshold": threshold}))
}

/// Every bit of a signed module is fixed.
#[test]
fn every_bit_of_a_signed_module_matters() {
    let signed = signed_by("ab", &module("1.0.0"));
    // One signature suffices, so no change is rejected for a missing signature.
    let policy = asking_for(1);
    assert!(install(&signed, &policy).is_ok());
    for at in 0..signed.len() {
        for bit in 0..8 {
            let mut changed = signed.clone();
            changed[at] ^= 1 << bit;
            let code = install(&changed, &policy).expect_err(&format!("byte {at}, bit {bit}"));
            let expected = if at < PREAMBLE.len() { &["module_malformed"][..] } else { EXPECTED };
            assert!(expected.contains(&code.as_str()), "byte {at}, bit {bit}: {code}");
        }
    }
}

/// The results for a module with a changed bit: the signature does not match, the bytes are not a module, or, if the section's name
/// changed, there is no signature. The manifest is never reached, because the digest is checked first.
const EXPECTED: &[&str] = &["module_signature", "module_malformed", "module_unsigned"];

/// Changes larger than a bit: added, removed, repeated, exchanged and overwritten bytes. The executed and read bytes are unchanged,
/// or the module is rejected. If every signature is required, every byte counts.
#[test]
fn random_changes_are_rejected() {
    let signed = signed_by("ab", &module("1.0.0"));
    let content = Credentials::read(&signed).unwrap().content_digest();
    let other = signed_by("ba", &module("0.9.0"));
    let (both, one, nobody) = (asking_for(2), asking_for(1), TrustPolicy::default());
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..6000 {
        let changed = numbers.change(&signed, &other);
        assert!(install(&changed, &nobody).is_err(), "round {round}");
        assert!(install(&changed, &both).is_err() || changed == signed, "round {round}: {changed:?}");
        if let Ok(verdict) = install(&changed, &one) {
            assert_eq!(verdict.content_digest, content, "round {round}: {changed:?}");
        }
    }
}

/// A small generator of numbers, with the same sequence in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    /// Makes one to three changes, some with bytes of another module.
    fn change(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let (from, to) = (self.below(changed.len()), self.below(changed.len()));
            let end = (from + self.below(40)).min(changed.len());
            let any = u8::try_from(self.below(256)).unwrap();
            match self.below(6) {
                0 => changed[from] = any,
                1 => changed.insert(from, any),
                2 if end - from < changed.len() => drop(changed.drain(from..end)),
                3 => drop(changed.splice(to..to, changed[from..end].to_vec())),
                4 => changed.swap(from, to),
                _ => {
                    let there = from.min(other.len())..end.min(other.len());
                    changed.splice(from..end, other[there].to_vec());
                }
            }
        }
        changed
    }
}

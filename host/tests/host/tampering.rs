//! Signed modules that were changed: bit by bit, and at random.

use adjudicate_host::trust::{Credentials, TrustPolicy};
use serde_json::json;

use crate::signing::{PREAMBLE, entry, install, module, policy, signed_by};

/// The policy that asks for so many of the signatures of `a` and `b`.
fn asking_for(threshold: usize) -> TrustPolicy {
    policy(&json!({"keys": [entry('a'), entry('b')], "threshold": threshold}))
}

/// There is no bit of a signed module that could be another.
#[test]
fn every_bit_of_a_signed_module_matters() {
    let signed = signed_by("ab", &module("1.0.0"));
    // One signature would be enough, so nothing is refused for want of the other.
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

/// What a module with a changed bit is: not what was signed; no module any more; or, where the name of the section changed,
/// without a signature. That its manifest cannot be read does not come up, for the digest is looked at before.
const EXPECTED: &[&str] = &["module_signature", "module_malformed", "module_unsigned"];

/// Changes that a bit is too small for: bytes that are added, removed, repeated, exchanged and overwritten. What is run
/// and read stays as it was, or the module is refused; where every signature is needed, so does every byte.
#[test]
fn no_change_at_random_is_accepted() {
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

/// A little generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    /// One to three changes, some of them with bytes of another module.
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

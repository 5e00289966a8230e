//! Repeated keys: a quick test that most objects pass, and the full comparison for the others.

use alloc::vec::Vec;

use super::tape::Node;
use crate::order;

/// The fingerprints of an object's keys. Most objects have no two keys with the same fingerprint.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingerprints {
    seen: [u64; 4],
    may_repeat: bool,
}

impl Fingerprints {
    /// Records the fingerprint of a key: its first and last byte, and its length.
    #[inline]
    pub(super) fn note(&mut self, outer: [u8; 2], len: u32) {
        let mixed = (u32::from(u16::from_le_bytes(outer)) ^ len << 5).wrapping_mul(0x9e37_79b1) >> 24;
        if let Some(word) = self.seen.get_mut((mixed >> 6) as usize) {
            let bit = 1 << (mixed & 63);
            self.may_repeat |= *word & bit != 0;
            *word |= bit;
        }
    }

    /// Returns whether two keys had the same fingerprint, so that the keys themselves must be compared.
    pub(super) const fn may_repeat(&self) -> bool {
        self.may_repeat
    }
}

/// Returns whether an object has two fields with the same name.
pub(super) fn has_repeated_key(object: Node<'_>) -> bool {
    const FEW: u32 = 12;
    if object.len() <= FEW as usize {
        let mut rest = object.members();
        while let Some((key, _)) = rest.next() {
            if rest.clone().any(|(other, _)| other == key) {
                return true;
            }
        }
        return false;
    }
    let mut keys: Vec<&str> = object.members().map(|(key, _)| key).collect();
    order::sort_by(&mut keys, |left, right| left.cmp(right));
    keys.windows(2).any(|pair| matches!(pair, [left, right] if left == right))
}

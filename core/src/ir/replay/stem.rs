//! Numbers for ids, such that counted ids get adjacent numbers.

use alloc::string::String;

use sha2::{Digest as _, Sha256};

/// The text before the trailing number of an id, and its digest. Only the last one is cached, because most ids share it.
#[derive(Debug, Default)]
pub(super) struct Stem {
    text: String,
    form: u8,
    digest: u128,
}

/// The most trailing digits; their number stays below `u32::MAX`, so that it never reaches the next stem.
const DIGITS: usize = 9;

/// The form of ids without trailing digits. The form of other ids is 0, or the number of trailing digits if these begin with a zero and
/// are two or more: `a07` and `a7` differ.
const UNCOUNTED: u8 = 10;

impl Stem {
    /// Combines 96 bits of the stem's digest with the trailing number in 32 bits. Two ids collide only if their stems share
    /// these 96 bits, which does not happen by chance. An attacker gains nothing, because reusing an id is as easy.
    pub(super) fn key(&mut self, id: &str) -> u128 {
        let digits = id.bytes().rev().take(DIGITS).take_while(u8::is_ascii_digit).count();
        let (text, number) = id.split_at_checked(id.len() - digits).unwrap_or((id, ""));
        let form = match (digits, number.starts_with('0')) {
            (0, _) => UNCOUNTED,
            (2.., true) => digits as u8,
            _ => 0,
        };
        if self.digest == 0 || (self.form, self.text.as_str()) != (form, text) {
            let digest = Sha256::new().chain_update([form]).chain_update(text).finalize();
            let upper = digest.iter().take(12).fold(0, |all, byte| all << 8 | u128::from(*byte));
            *self = Self { text: text.into(), form, digest: upper << 32 };
        }
        self.digest | u128::from(number.parse::<u32>().unwrap_or_default())
    }
}

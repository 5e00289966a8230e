//! The numbers that stand for ids, so that ids that are counted up are numbers side by side.

use alloc::string::String;

use sha2::{Digest as _, Sha256};

/// The part of ids in front of what is counted, and its digest: the last one, for most ids have the same.
#[derive(Debug, Default)]
pub(super) struct Stem {
    text: String,
    form: u8,
    digest: u128,
}

/// The most digits that are counted: their number is below `u32::MAX`, so that it never reaches the next stem.
const DIGITS: usize = 9;

/// The form of ids that end with no digit. Others are those without a leading zero, 0, and those of so many digits with one.
const UNCOUNTED: u8 = 10;

impl Stem {
    /// 96 bits of the digest of what an id begins with, and 32 bits of the number that it ends with. Two ids are only taken for
    /// one if their digests begin alike, which does not happen by chance; and whoever chooses ids to that end could as well
    /// choose the same one.
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

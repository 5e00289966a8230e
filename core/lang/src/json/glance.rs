//! Values read at a glance: the integer part of a number, and the first and last bytes of a text.

use super::{
    Node,
    tape::{Cell, Tag},
};

/// The most digits for which every number has its own float.
const EXACT_DIGITS: usize = 15;

/// The position of a number among the integers. Only numbers below 10^9 without an exponent have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glance {
    /// The largest integer that is not above the number.
    pub floor: i32,
    pub beyond: Beyond,
}

/// The difference between a number and the integer below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Nothing,
    /// A fraction.
    Fraction,
    /// So many digits that the value is that of the nearest float, which can be an integer next to the digits.
    Long,
}

impl Glance {
    /// Computes the glance of a number from the digits before and after its point.
    #[inline]
    pub(super) fn from_digits(negative: bool, whole: &[u8], fraction: &[u8]) -> Option<Self> {
        // Nine digits are below 2^31.
        if whole.len() > 9 {
            return None;
        }
        let magnitude = whole.iter().fold(0, |value, digit| value * 10 + i32::from(digit & 15));
        let beyond = match fraction.iter().all(|digit| *digit == b'0') {
            true => Beyond::Nothing,
            false if whole.len() + fraction.len() <= EXACT_DIGITS => Beyond::Fraction,
            false => Beyond::Long,
        };
        let floor = if negative { -magnitude - i32::from(beyond != Beyond::Nothing) } else { magnitude };
        Some(Self { floor, beyond })
    }
}

impl Cell {
    /// Returns the cell of a number. A glance replaces the end of its text.
    #[inline]
    pub(super) fn number(tag: Tag, start: u32, end: u32, glance: Option<Glance>) -> Self {
        let len = u8::try_from(end - start);
        match (glance, len) {
            (Some(glance), Ok(len)) => {
                Self { tag, start, end: glance.floor.cast_unsigned(), outer: [len, glance.beyond as u8] }
            }
            _ => Self { tag, start, end, outer: [0; 2] },
        }
    }

    /// Returns the end of a scalar's text.
    #[inline]
    pub(super) const fn text_end(&self) -> u32 {
        let [len, _] = self.outer;
        if self.has_glance() { self.start + len as u32 } else { self.end }
    }

    #[inline]
    const fn has_glance(&self) -> bool {
        let [len, _] = self.outer;
        len > 0 && matches!(self.tag, Tag::Integer | Tag::Float)
    }
}

impl<'t> Node<'t> {
    /// Returns the glance of a number.
    #[inline]
    pub(crate) fn glance(self) -> Option<Glance> {
        let cell = self.tape.cell(self.at);
        if !cell.has_glance() {
            return None;
        }
        let [_, beyond] = cell.outer;
        let beyond = match beyond {
            0 => Beyond::Nothing,
            1 => Beyond::Fraction,
            _ => Beyond::Long,
        };
        Some(Glance { floor: cell.end.cast_signed(), beyond })
    }

    /// Returns whether this is a text of `len` bytes, one to sixteen, with these [`ends`]. `false` also means: compare in full.
    /// This is the result for texts with escapes, and for short texts at the end of the document.
    #[inline]
    pub(crate) fn is_short(self, len: u32, (prefix, suffix): Ends) -> bool {
        let cell = self.tape.cell(self.at);
        let rest = self.tape.text.as_bytes().get(cell.start as usize..).unwrap_or_default();
        if cell.tag != Tag::Plain || cell.end.wrapping_sub(cell.start) != len {
            return false;
        }
        let Some(first) = rest.first_chunk().map(|first| u64::from_be_bytes(*first) ^ prefix) else {
            return false;
        };
        match len {
            1..=8 => first >> (64 - 8 * len) == 0,
            9..=16 => {
                let last = rest.get(len as usize - 8..).and_then(<[u8]>::first_chunk);
                first == 0 && last.is_some_and(|last| u64::from_le_bytes(*last) == suffix)
            }
            _ => false,
        }
    }

    /// Returns the bytes of a string or a name, and its [`ends`].
    #[inline]
    pub(crate) fn text_and_ends(self) -> (&'t [u8], Ends) {
        let cell = self.tape.cell(self.at);
        let source = if cell.tag == Tag::Escaped { &self.tape.unescaped } else { self.tape.text };
        // Usually more text follows, so one read suffices.
        let rest = source.as_bytes().get(cell.start as usize..).unwrap_or_default();
        let text = rest.get(..cell.end.wrapping_sub(cell.start) as usize).unwrap_or_default();
        let ends = match (text.len(), rest.first_chunk()) {
            (0, _) => (0, 0),
            (len @ 1..8, Some(first)) => (u64::from_be_bytes(*first) & u64::MAX << (64 - 8 * len), 0),
            _ => ends(text),
        };
        (text, ends)
    }
}

/// The first eight bytes of a text, as a number in the order of texts, padded with zeros; and the last eight of a longer text. With
/// the length, they distinguish texts of up to sixteen bytes.
pub(crate) type Ends = (u64, u64);

/// Returns the first eight bytes of a text, as a number in the order of texts, padded with zeros.
#[inline]
fn prefix(text: &[u8]) -> u64 {
    if let Some(chunk) = text.first_chunk() {
        return u64::from_be_bytes(*chunk);
    }
    match (text.first_chunk(), text.last_chunk()) {
        // The two halves can overlap.
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|half| u64::from(u32::from_be_bytes(*half)));
            first << 32 | last << (64 - 8 * text.len())
        }
        _ => text.iter().zip([56, 48, 40]).fold(0, |bytes, (byte, shift)| bytes | u64::from(*byte) << shift),
    }
}

/// Returns the first eight bytes of a text, and the last eight of a longer one.
#[inline]
pub(crate) fn ends(text: &[u8]) -> Ends {
    let suffix = if text.len() > 8 { text.last_chunk().copied().unwrap_or_default() } else { [0; 8] };
    (prefix(text), u64::from_le_bytes(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};
    use alloc::{format, string::String};

    #[test]
    fn prefixes_have_the_order_of_texts() {
        let texts = ["", "a", "ab", "abc", "abcd", "abcde", "abcdefg", "abcdefgh", "abd", "b", "\u{e9}"];
        assert!(texts.map(|text| prefix(text.as_bytes())).is_sorted_by(|left, right| left < right));
        assert_eq!(prefix(b"abcde"), 0x6162_6364_6500_0000);
        assert_eq!(prefix(b"abcdefgh!"), prefix(b"abcdefgh"));
    }

    #[test]
    fn ends_do_not_depend_on_the_position_of_a_text() {
        for len in 0..20 {
            let text: String = ('a'..).take(len).collect();
            let expected = ends(text.as_bytes());
            let escaped = text.replace('a', "\\u0061");
            for document in [format!("\"{text}\""), format!("\"{text}\"          "), format!("\"{escaped}\"")]
            {
                let tape = json::read(document.as_bytes(), Limits::DOCUMENT).unwrap();
                assert_eq!(tape.root().text_and_ends(), (text.as_bytes(), expected), "{document}");
                let is_short = |len| tape.root().is_short(len, expected);
                let is_reported = document.ends_with(' ') && (1..17).contains(&len);
                assert!(is_short(len as u32) || !is_reported, "{document}");
                assert!(![len + 1, len + 8, len.wrapping_sub(1)].into_iter().any(|len| is_short(len as u32)));
                let (prefix, suffix) = expected;
                assert!(!tape.root().is_short(len as u32, (prefix ^ 1 << 56, suffix)), "{document}");
                assert!(
                    len < 9 || !tape.root().is_short(len as u32, (prefix, suffix ^ 1 << 56)),
                    "{document}"
                );
            }
        }
    }

    #[test]
    fn numbers_are_seen_at_a_glance() {
        let seen = |floor, beyond| Some(Glance { floor, beyond });
        let long = format!("1.{}", "0".repeat(254));
        for (text, expected) in [
            ("0", seen(0, Beyond::Nothing)),
            ("-0", seen(0, Beyond::Nothing)),
            ("-0.0", seen(0, Beyond::Nothing)),
            ("7", seen(7, Beyond::Nothing)),
            ("-7.0", seen(-7, Beyond::Nothing)),
            ("12.050", seen(12, Beyond::Fraction)),
            ("-12.050", seen(-13, Beyond::Fraction)),
            ("-0.5", seen(-1, Beyond::Fraction)),
            ("999999999", seen(999_999_999, Beyond::Nothing)),
            ("-999999999.1", seen(-1_000_000_000, Beyond::Fraction)),
            ("0.12345678901234", seen(0, Beyond::Fraction)),
            ("0.123456789012345", seen(0, Beyond::Long)),
            ("0.99999999999999999", seen(0, Beyond::Long)),
            ("1.000000000000000000", seen(1, Beyond::Nothing)),
            (&long[..255], seen(1, Beyond::Nothing)),
            // Too large, too long, an exponent.
            ("1000000000", None),
            (&long, None),
            ("1e3", None),
            ("1.5E-3", None),
        ] {
            let document = format!("[{text}, \"text\"]");
            let tape = json::read(document.as_bytes(), Limits::DOCUMENT).unwrap();
            let mut items = tape.root().items();
            let number = items.next().unwrap();
            assert_eq!(
                (number.glance(), number.as_number(), number.bytes()),
                (expected, Some(text), text.as_bytes())
            );
            assert_eq!(tape.root().text_extent(), document.len() - 3, "{text}");
        }
        let tape = json::read(b"{\"ab\": [\"12\", null]}", Limits::DOCUMENT).unwrap();
        let list = tape.root().member("ab").unwrap();
        assert!(list.items().chain([list, tape.root()]).all(|node| node.glance().is_none()));
    }
}

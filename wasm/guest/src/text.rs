//! Writing: JSON strings, numbers and pointers, without the machinery of `core::fmt`.

use alloc::string::String;

/// Appends a text. Not inlined, because there are a hundred calls, and each is smaller than the code.
#[inline(never)]
pub(crate) fn push(out: &mut String, text: &str) {
    out.push_str(text);
}

/// Appends a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    push(out, "\"");
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        push(out, rest.get(..at).unwrap_or_default());
        let mut tail = rest.get(at..).unwrap_or_default().chars();
        match tail.next() {
            Some('"') => push(out, "\\\""),
            Some('\\') => push(out, "\\\\"),
            Some('\u{8}') => push(out, "\\b"),
            Some('\u{c}') => push(out, "\\f"),
            Some('\n') => push(out, "\\n"),
            Some('\r') => push(out, "\\r"),
            Some('\t') => push(out, "\\t"),
            Some(control) => {
                push(out, "\\u00");
                for digit in [control as u32 >> 4, control as u32 & 15] {
                    out.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            None => {}
        }
        rest = tail.as_str();
    }
    push(out, rest);
    push(out, "\"");
}

/// Appends a number in decimal digits.
pub(crate) fn push_number(out: &mut String, mut number: u64) {
    let mut digits = [0; 20];
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        count += 1;
        if number == 0 {
            break;
        }
    }
    digits.iter().skip(digits.len() - count).for_each(|digit| out.push(char::from(*digit)));
}

/// Appends `/segment` to a pointer, with `~` and `/` escaped.
pub(crate) fn push_segment(path: &mut String, segment: &str) {
    push(path, "/");
    for character in segment.chars() {
        match character {
            '~' => push(path, "~0"),
            '/' => push(path, "~1"),
            plain => path.push(plain),
        }
    }
}

/// A JSON Pointer (RFC 6901) under construction, for the place of a finding's evidence.
///
/// ```
/// use adjudicate_guest::Pointer;
/// let pointer = Pointer::new("/evidence/validation/exit_codes").key("ci/lint");
/// assert_eq!(String::from(pointer), "/evidence/validation/exit_codes/ci~1lint");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// Begins at `base`, which is a pointer.
    ///
    /// ```
    /// use adjudicate_guest::Pointer;
    /// assert_eq!(String::from(Pointer::new("/evidence")), "/evidence");
    /// ```
    #[must_use]
    pub fn new(base: &str) -> Self {
        Self(base.into())
    }

    /// Adds the segment of a field.
    ///
    /// ```
    /// use adjudicate_guest::Pointer;
    /// assert_eq!(String::from(Pointer::new("").key("a/b").key("c~d")), "/a~1b/c~0d");
    /// ```
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        push_segment(&mut self.0, key);
        self
    }

    /// Adds the segment of a list item, counted from 0.
    ///
    /// ```
    /// use adjudicate_guest::Pointer;
    /// assert_eq!(String::from(Pointer::new("/evidence/artifacts").index(3)), "/evidence/artifacts/3");
    /// ```
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push('/');
        push_number(&mut self.0, index as u64);
        self
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        push_string(&mut out, "a\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}é/");
        assert_eq!(out, r#""a\"\\\b\f\n\r\t\u0001\u001fé/""#);
    }

    #[test]
    fn numbers_are_written_whole() {
        for number in [0, 7, 10, 65_536, u64::MAX] {
            let mut out = String::new();
            push_number(&mut out, number);
            assert_eq!(out, alloc::format!("{number}"));
        }
    }
}

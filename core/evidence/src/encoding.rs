//! Decoding: from the bytes of a report to its text.
//!
//! Reports are the files of other tools, so their byte order marks are removed. UTF-8 needs no mark, UTF-16 does. An XML
//! declaration may name ISO-8859-1 or windows-1252.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_core::Error;

use crate::{
    codes,
    limits::MAX_REPORT_BYTES,
    lines::{line_at, malformed},
};

/// Returns the text of a report without its byte order mark, for an [observation](crate::collect::OwnedReportFile).
///
/// # Errors
///
/// - `limit_exceeded` for a report over [`MAX_REPORT_BYTES`].
/// - `malformed_report` for an unsupported encoding, and for bytes that are invalid in the encoding.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    check_size(bytes.len())?;
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(unsupported("UTF-32")),
        [0xff, 0xfe, units @ ..] => utf16(units, u16::from_le_bytes).map(Cow::Owned),
        [0xfe, 0xff, units @ ..] => utf16(units, u16::from_be_bytes).map(Cow::Owned),
        [0xef, 0xbb, 0xbf, text @ ..] => eight_bit(text),
        text => eight_bit(text),
    }
}

/// Checks the size of a report.
pub(crate) fn check_size(bytes: usize) -> Result<(), Error> {
    if bytes <= MAX_REPORT_BYTES {
        return Ok(());
    }
    let message = format!("the report has {bytes} bytes; the limit is {MAX_REPORT_BYTES}");
    Err(Error::new(codes::LIMIT_EXCEEDED, message))
}

/// Decodes a text whose encoding contains ASCII.
fn eight_bit(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    match declared(bytes) {
        None => utf8(bytes),
        Some(name) => match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => utf8(bytes),
            "iso-8859-1" | "latin1" | "latin-1" => {
                Ok(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()))
            }
            "windows-1252" | "cp1252" => {
                Ok(Cow::Owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()))
            }
            _ => Err(unsupported(name)),
        },
    }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let line = line_at(bytes, error.valid_up_to());
        malformed(line, "the text is not UTF-8; let the tool write UTF-8")
    })?;
    Ok(Cow::Borrowed(text))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let mut text = String::with_capacity(units.len());
    for character in char::decode_utf16(units) {
        let Ok(character) = character else {
            return Err(malformed(
                line_at(text.as_bytes(), text.len()),
                "the text is not UTF-16: a lone surrogate",
            ));
        };
        text.push(character);
    }
    if !rest.is_empty() {
        return Err(malformed(
            line_at(text.as_bytes(), text.len()),
            "the text is not UTF-16: half a character at its end",
        ));
    }
    Ok(text)
}

/// Returns the encoding that an XML declaration names.
fn declared(bytes: &[u8]) -> Option<&str> {
    let head = bytes.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = head.windows(2).take(500).position(|pair| pair == b"?>")?;
    let declaration = core::str::from_utf8(head.get(..end)?).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

#[cold]
fn unsupported(name: &str) -> Error {
    let name = adjudicate_core::json::shorten(name);
    malformed(
        1,
        format!("unsupported encoding `{name}`; supported are UTF-8, UTF-16, ISO-8859-1 and windows-1252"),
    )
}

/// Returns the character of a byte in windows-1252. The five bytes without a character become control characters, as in the
/// WHATWG Encoding Standard.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', //
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let high = byte.checked_sub(0x80).and_then(|index| HIGH.get(usize::from(index)));
    high.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_removed() {
        for bytes in [&b"a\xc3\xa9"[..], b"\xef\xbb\xbfa\xc3\xa9", b"\xff\xfea\0\xe9\0", b"\xfe\xff\0a\0\xe9"]
        {
            assert_eq!(decode(bytes).unwrap(), "a\u{e9}");
        }
    }

    #[test]
    fn an_xml_declaration_names_the_encoding() {
        let declare =
            |name: &str| [b"<?xml version='1.0' encoding='", name.as_bytes(), b"'?>\x80\xe9"].concat();
        assert!(decode(&declare("windows-1252")).unwrap().ends_with("\u{20ac}\u{e9}"));
        assert!(decode(&declare("ISO-8859-1")).unwrap().ends_with("\u{80}\u{e9}"));
        let error = decode(&declare("Shift_JIS")).unwrap_err();
        assert!(error.message().starts_with("line 1: unsupported encoding `Shift_JIS`"), "{error}");
    }

    #[test]
    fn invalid_bytes_are_reported_with_their_line() {
        for (bytes, expected) in [
            (&b"a\nb\xff"[..], "line 2: the text is not UTF-8"),
            (b"\xff\xfea\0\n\0\0\xd8", "line 2: the text is not UTF-16: a lone"),
            (b"\xff\xfea\0\n", "line 1: the text is not UTF-16: half"),
            (b"\xff\xfe\0\0", "line 1: unsupported encoding `UTF-32`"),
        ] {
            let error = decode(bytes).unwrap_err();
            assert!(error.message().starts_with(expected), "{error}");
        }
    }
}

//! Scanning of strings and numbers, independent of the structure around them.

use alloc::string::String;

use super::glance::Glance;

/// The message for a malformed token.
pub(super) type FaultMessage = &'static str;

/// Returns the end of the plain string bytes from `at` on: the index of the next quote, backslash or control character, or the end
/// of the text.
#[inline]
pub(super) fn plain_run(text: &[u8], at: usize) -> usize {
    let Some(rest) = text.get(at..) else { return text.len() };
    let (words, tail) = rest.as_chunks::<8>();
    let mut skipped = 0;
    for word in words {
        let hits = specials(*word);
        if hits != 0 {
            return at + skipped + (hits.trailing_zeros() / 8) as usize;
        }
        skipped += 8;
    }
    at + skipped + plain_end(rest, tail)
}

/// Returns the end of the plain bytes of `tail`, the last bytes of `rest`.
#[inline(never)]
fn plain_end(rest: &[u8], tail: &[u8]) -> usize {
    // Most texts are short, so the last bytes are tested together too. Some of them are tested twice.
    let last = match (rest.last_chunk(), tail.first_chunk(), tail.last_chunk()) {
        (Some(last), _, _) => *last,
        (None, Some([a, b, c, d]), Some([e, f, g, h])) => [*a, *b, *c, *d, *e, *f, *g, *h],
        _ => [b'"'; 8],
    };
    if specials(last) == 0 {
        return tail.len();
    }
    tail.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(tail.len())
}

/// Sets the high bit of each byte that is a quote, a backslash or below 0x20. Above the first true hit, there can be false ones.
#[inline]
const fn specials(word: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(word);
    // A quote without its second bit is a space, and control characters stay below it.
    let quote_or_control = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    // A subtraction borrows the high bit if the byte is too small, or has it already.
    (quote_or_control | backslash) & !word & HIGHS
}

/// Returns the end of the white space from `at` on.
#[inline(never)]
pub(super) fn space_run(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
        // Most of it is indentation.
        if let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk) {
            let others = u64::from_le_bytes(*word) ^ u64::from_le_bytes([b' '; 8]);
            at += (others.trailing_zeros() / 8) as usize;
        }
    }
    at
}

/// Unescapes the string whose first backslash is at `at`, and appends it to `out`. Returns the index of its closing quote. The
/// caller has already appended the bytes before `at`.
pub(super) fn unescape(text: &str, mut at: usize, out: &mut String) -> Result<usize, (usize, FaultMessage)> {
    let bytes = text.as_bytes();
    loop {
        let end = plain_run(bytes, at);
        out.push_str(text.get(at..end).unwrap_or_default());
        at = end;
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => at = escape(bytes, at, out)?,
            Some(b'\t') => return Err((at, "tab in a string; write it as `\\t`")),
            Some(_) => return Err((at, "control character in a string")),
            None => return Err((at, "string without end")),
        }
    }
}

/// Reads the escape sequence at `at` (a backslash). Returns the index after it.
fn escape(bytes: &[u8], at: usize, out: &mut String) -> Result<usize, (usize, FaultMessage)> {
    let plain = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at, out),
        _ => return Err((at, "unknown escape sequence")),
    };
    out.push(plain);
    Ok(at + 2)
}

/// Reads `\uXXXX`, or a surrogate pair of them.
fn unicode_escape(bytes: &[u8], at: usize, out: &mut String) -> Result<usize, (usize, FaultMessage)> {
    let unit = hex4(bytes, at + 2).ok_or((at, "`\\u` needs four hexadecimal digits"))?;
    if let Some(plain) = char::from_u32(unit) {
        out.push(plain);
        return Ok(at + 6);
    }
    let lone = (at, "lone surrogate in a string");
    let is_high = (0xd800..0xdc00).contains(&unit);
    if !is_high || bytes.get(at + 6..at + 8) != Some(b"\\u") {
        return Err(lone);
    }
    let low = hex4(bytes, at + 8).filter(|low| (0xdc00..0xe000).contains(low)).ok_or(lone)?;
    let scalar = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    out.push(char::from_u32(scalar).ok_or(lone)?);
    Ok(at + 12)
}

/// Reads four hexadecimal digits at `at`.
fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, byte| Some(value * 16 + (*byte as char).to_digit(16)?))
}

/// A scanned number.
pub(super) struct ScannedNumber {
    pub end: usize,
    /// True if the number is an integer without a fraction and an exponent.
    pub is_integer: bool,
    pub glance: Option<Glance>,
}

/// Scans the number at `at`.
pub(super) fn number(bytes: &[u8], at: usize) -> Result<ScannedNumber, (usize, FaultMessage)> {
    let digits = |from: usize| {
        let mut end = from;
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        end - from
    };
    let first = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = first;
    let whole = digits(end);
    match (whole, bytes.get(end)) {
        (0, _) => return Err((end, missing_value(bytes, end))),
        (2.., Some(b'0')) => return Err((end, "number with a leading zero")),
        _ => end += whole,
    }
    let (mut is_integer, mut fraction) = (true, 0);
    if bytes.get(end) == Some(&b'.') {
        is_integer = false;
        fraction = digits(end + 1);
        if fraction == 0 {
            return Err((end, "number with an empty fraction"));
        }
        end += 1 + fraction;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        is_integer = false;
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == 0 {
            return Err((end, "number with an empty exponent"));
        }
        end += 1 + sign + exponent;
        return Ok(ScannedNumber { end, is_integer, glance: None });
    }
    let (whole, fraction) = (bytes.get(first..first + whole), bytes.get(end - fraction..end));
    let glance = Glance::from_digits(first > at, whole.unwrap_or_default(), fraction.unwrap_or_default());
    Ok(ScannedNumber { end, is_integer, glance })
}

/// Returns the message for a text without a value at `at`.
#[cold]
fn missing_value(bytes: &[u8], at: usize) -> FaultMessage {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let (before, rest) = bytes.split_at_checked(at).unwrap_or_default();
    match rest.first() {
        Some(b']') if before.trim_ascii_end().ends_with(b",") => "trailing comma before `]`",
        _ if before.is_empty() && rest.starts_with(BYTE_ORDER_MARK) => {
            "the text begins with a byte order mark; save it as UTF-8 without BOM"
        }
        _ => "expected a value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_run_finds_the_first_special_byte_anywhere() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for at in 0..24 {
                let mut text = [b'a'; 32];
                text[at] = special;
                assert_eq!(plain_run(&text, 0), at);
                assert_eq!(plain_run(&text, at / 2), at);
            }
        }
        assert_eq!(plain_run("é~ü\u{7f}日本語 text".as_bytes(), 0), "é~ü\u{7f}日本語 text".len());
        assert_eq!(plain_run(b"abc", 7), 3);
    }

    #[test]
    fn white_space_ends_at_the_first_other_byte() {
        for space in [" ", "\n", "\n ", "\r\n\t", "        \t"] {
            for count in 0..20 {
                let run = space.repeat(count);
                for rest in ["", "x", "\u{b}", "!       "] {
                    assert_eq!(space_run(alloc::format!("{run}{rest}").as_bytes(), 0), run.len());
                }
            }
        }
    }

    #[test]
    fn numbers_are_scanned_to_their_end() {
        for (text, expected) in [
            ("0", Ok((1, true))),
            ("-12,", Ok((3, true))),
            ("1.50 ", Ok((4, false))),
            ("1e5", Ok((3, false))),
            ("1E-05]", Ok((5, false))),
            ("01", Err(0)),
            ("-", Err(1)),
            ("1.", Err(1)),
            ("1e+", Err(1)),
            (".5", Err(0)),
            ("+1", Err(0)),
        ] {
            let found = number(text.as_bytes(), 0);
            let found = found.map(|number| (number.end, number.is_integer));
            assert_eq!(found.map_err(|(at, _)| at), expected, "{text}");
        }
    }

    #[test]
    fn escapes_are_decoded_or_rejected() {
        for (text, expected) in [
            (r#"\n\t\/\\\""#, Ok("\n\t/\\\"")),
            (r"a\u00e9\ud83d\ude00b", Ok("aé😀b")),
            (r"\ud83d", Err(0)),
            (r"\ude00\ud83d", Err(0)),
            (r"\ud83dx", Err(0)),
            (r"ab\x", Err(2)),
            (r"\u12g4", Err(0)),
        ] {
            let mut out = String::new();
            let quoted = alloc::format!("{text}\"");
            let got = unescape(&quoted, 0, &mut out).map_err(|(at, _)| at);
            assert_eq!(got.map(|_| out.as_str()), expected, "{text}");
        }
    }
}

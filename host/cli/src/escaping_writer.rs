//! A writer that escapes characters with which a text could deceive its reader.

use std::io::{self, Write};

/// Replaces hidden characters by escapes of JSON, for example `\u202e`. In JSON, the text keeps its meaning.
pub(crate) struct EscapingWriter<W> {
    inner: W,
    escapes: fn(char) -> bool,
    /// The beginning of a character whose rest is still to come.
    begun: Vec<u8>,
}

impl<W: Write> EscapingWriter<W> {
    /// Escapes the characters of which `escapes` is true, and no ASCII but DEL: other controls act on purpose.
    pub(crate) const fn new(inner: W, escapes: fn(char) -> bool) -> Self {
        Self { inner, escapes, begun: Vec::new() }
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, found)) = rest.char_indices().find(|(_, c)| *c >= '\u{7f}' && (self.escapes)(*c))
        {
            let (before, after) = rest.split_at(at);
            self.inner.write_all(before.as_bytes())?;
            for unit in found.encode_utf16(&mut [0; 2]) {
                write!(self.inner, "\\u{unit:04x}")?;
            }
            rest = after.get(found.len_utf8()..).unwrap_or_default();
        }
        self.inner.write_all(rest.as_bytes())
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined = [&self.begun, bytes].concat();
        self.begun.clear();
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            let (text, after) = match str::from_utf8(rest) {
                Ok(text) => (text, &[][..]),
                Err(error) => {
                    let (text, after) = rest.split_at(error.valid_up_to());
                    (str::from_utf8(text).unwrap_or_default(), after)
                }
            };
            self.write_text(text)?;
            let Some(invalid) = str::from_utf8(after).err() else { break };
            let Some(length) = invalid.error_len() else {
                self.begun = after.to_vec();
                break;
            };
            let (invalid, next) = after.split_at(length);
            self.inner.write_all(invalid)?;
            rest = next;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.write_all(&std::mem::take(&mut self.begun))?;
        self.inner.flush()
    }
}

/// True for characters that change the direction of a text or control a terminal.
pub(crate) fn is_control_or_direction(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use adjudicate_core::is_hidden;

    use super::*;

    fn written(pieces: &[&[u8]], escapes: fn(char) -> bool) -> Vec<u8> {
        let mut writer = EscapingWriter::new(Vec::new(), escapes);
        pieces.iter().for_each(|piece| writer.write_all(piece).unwrap());
        writer.flush().unwrap();
        writer.inner
    }

    #[test]
    fn hidden_characters_are_escaped_however_they_are_cut() {
        let text = "{\"a\":\"é\u{9b}2J\u{202e}x\u{7f}\u{200b}\u{e0041}\u{1b}[1m👩\u{200d}💻\"}\n";
        for at in 0..text.len() {
            let (one, other) = text.as_bytes().split_at(at);
            let all = written(&[one, other], is_hidden);
            let expected = "{\"a\":\"é\\u009b2J\\u202ex\\u007f\\u200b\\udb40\\udc41\u{1b}[1m👩\\u200d💻\"}\n";
            assert_eq!(String::from_utf8(all).unwrap(), expected, "{at}");
            let some = written(&[one, other], is_control_or_direction);
            let expected = "{\"a\":\"é\\u009b2J\\u202ex\\u007f\u{200b}\u{e0041}\u{1b}[1m👩\u{200d}💻\"}\n";
            assert_eq!(String::from_utf8(some).unwrap(), expected, "{at}");
        }
    }

    #[test]
    fn other_bytes_stay() {
        let bytes = b"a\xff\x9b\xe2\x80z\xc2";
        assert_eq!(written(&[bytes], is_hidden), bytes);
        assert_eq!(written(&[&[][..]], is_hidden), b"");
    }
}

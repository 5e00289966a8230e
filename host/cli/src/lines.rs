//! The lines of a stream, read in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};

use crate::codes;

pub(crate) fn too_long() -> Error {
    Error::new(codes::LIMIT_EXCEEDED, format!("the line is over the limit of {MAX_DOCUMENT_BYTES} bytes"))
}

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// The line without its line feed.
    Whole(Vec<u8>),
    /// A line over the limit, which was skipped.
    TooLong,
    End,
}

/// The lines of a stream. Each takes memory up to the limit.
pub(crate) struct Lines<R> {
    stream: BufReader<R>,
    limit: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self { stream: BufReader::with_capacity(64 << 10, stream), limit }
    }

    /// Returns true if input is available without waiting.
    pub(crate) fn has_more_at_hand(&self) -> bool {
        !self.stream.buffer().is_empty()
    }

    /// Reads the rest of the stream, at most one byte more than the limit.
    pub(crate) fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        (&mut self.stream).take(self.limit as u64 + 1).read_to_end(&mut rest)?;
        Ok(rest)
    }

    pub(crate) fn next(&mut self) -> io::Result<InputLine> {
        let mut line = Vec::new();
        // One byte more than the limit, for the line feed.
        (&mut self.stream).take(self.limit as u64 + 1).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(InputLine::Whole(line));
        }
        if line.len() > self.limit {
            self.stream.skip_until(b'\n')?;
            return Ok(InputLine::TooLong);
        }
        Ok(if line.is_empty() { InputLine::End } else { InputLine::Whole(line) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let lines = |text: &str| {
            let mut lines = Lines::new(text.as_bytes(), 4);
            let all =
                std::iter::from_fn(|| Some(lines.next().unwrap()).filter(|line| *line != InputLine::End));
            all.map(|line| match line {
                InputLine::Whole(line) => String::from_utf8(line).unwrap(),
                _ => "-".to_owned(),
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(lines(""), [""; 0]);
        assert_eq!(lines("\n"), [""]);
        assert_eq!(lines("a\nbc"), ["a", "bc"]);
        assert_eq!(lines("abcd\nabcde\nx\n"), ["abcd", "-", "x"]);
        assert_eq!(lines("abcdefghij"), ["-"]);
        assert_eq!(lines("abcd"), ["abcd"]);
        assert_eq!(lines("\r\n\n x"), ["\r", "", " x"]);
    }
}

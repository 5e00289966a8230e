//! The lines of a stream, read in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};

use crate::codes;

pub(crate) fn too_long() -> Error {
    Error::new(codes::LIMIT_EXCEEDED, format!("the line is over the limit of {MAX_DOCUMENT_BYTES} bytes"))
}

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// Over the limit; it was skipped.
    TooLong,
    End,
}

/// The lines of a stream, none of them held beyond the limit.
pub(crate) struct Lines<R> {
    stream: BufReader<R>,
    limit: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self { stream: BufReader::with_capacity(64 << 10, stream), limit }
    }

    /// Whether there is input that need not be waited for.
    pub(crate) fn has_more_at_hand(&self) -> bool {
        !self.stream.buffer().is_empty()
    }

    /// All that was not read yet, up to the limit and one byte more.
    pub(crate) fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        (&mut self.stream).take(self.limit as u64 + 1).read_to_end(&mut rest)?;
        Ok(rest)
    }

    pub(crate) fn next(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        // One more than the limit, for the line's end.
        (&mut self.stream).take(self.limit as u64 + 1).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(Line::Whole(line));
        }
        if line.len() > self.limit {
            self.stream.skip_until(b'\n')?;
            return Ok(Line::TooLong);
        }
        Ok(if line.is_empty() { Line::End } else { Line::Whole(line) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let lines = |text: &str| {
            let mut lines = Lines::new(text.as_bytes(), 4);
            let all = std::iter::from_fn(|| Some(lines.next().unwrap()).filter(|line| *line != Line::End));
            all.map(|line| match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
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

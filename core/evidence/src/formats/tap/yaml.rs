//! The YAML block of a test point: just enough of it for a message, a place and a duration.

use alloc::string::{String, ToString as _};

use crate::{
    Location,
    duration::{Unit, milliseconds},
    text::first_line,
};

/// The fields of a YAML block that tell something about a failure.
#[derive(Debug)]
pub(super) struct Diagnostics {
    indent: usize,
    pub message: Option<String>,
    pub location: Option<Location>,
    pub duration_ms: Option<u64>,
    file: Option<String>,
    line: Option<u32>,
    /// True if the next line is the first of a block scalar that is the message.
    is_message_next: bool,
}

impl Diagnostics {
    pub(super) fn new(indent: usize) -> Self {
        Self {
            indent,
            message: None,
            location: None,
            duration_ms: None,
            file: None,
            line: None,
            is_message_next: false,
        }
    }

    /// Returns whether a line ends the block.
    pub(super) fn ends_at(&self, indent: usize, text: &str) -> bool {
        text.trim_end() == "..." && indent <= self.indent
    }

    /// Adds a line of the block. The first field of a name counts, at any depth, because writers nest `at` and `error` or do not.
    pub(super) fn add(&mut self, indent: usize, text: &str) {
        if self.is_message_next {
            self.message = first_line(text);
            self.is_message_next = self.message.is_none() && indent > self.indent;
            return;
        }
        let Some((name, value)) = text.split_once(':') else { return };
        let value = unquote(value.trim());
        match name {
            "message" | "error" if self.message.is_none() => {
                self.is_message_next = value.starts_with(['|', '>']);
                self.message = first_line(value).filter(|_| !self.is_message_next);
            }
            "location" | "at" if self.location.is_none() => self.location = Location::parse(value),
            "file" | "fileName" if self.file.is_none() => {
                self.file = Some(value.to_string()).filter(|file| !file.is_empty())
            }
            "line" | "lineNumber" if self.line.is_none() => self.line = value.parse().ok(),
            "duration_ms" => self.duration_ms = milliseconds(value, Unit::Milliseconds),
            _ => {}
        }
    }

    /// Returns the place that the block names.
    pub(super) fn place(&mut self) -> Option<Location> {
        self.location.take().or_else(|| Location::new(self.file.as_deref(), self.line))
    }
}

/// Removes the quotes around a value.
fn unquote(value: &str) -> &str {
    let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Diagnostics {
        let mut block = Diagnostics::new(2);
        for line in lines {
            let text = line.trim_start();
            block.add(line.len() - text.len(), text);
        }
        block
    }

    #[test]
    fn the_fields_of_each_writer_are_found() {
        let mut node = read(&[
            "  duration_ms: 0.85",
            "  location: '/a.mjs:5:3'",
            "  error: |-",
            "    ",
            "    90 !== 80",
        ]);
        assert_eq!((node.message.as_deref(), node.duration_ms), (Some("90 !== 80"), Some(1)));
        assert_eq!(node.place().unwrap().to_string(), "/a.mjs:5");
        let mut vitest =
            read(&["  error:", "    name: \"E\"", "    message: \"no money\"", "  at: \"/a.mjs:4:40\""]);
        assert_eq!(vitest.message.as_deref(), Some("no money"));
        assert_eq!(vitest.place().unwrap().to_string(), "/a.mjs:4");
        let mut tap = read(&["  at:", "    line: 3", "    column: 5", "    file: a.js"]);
        assert_eq!(tap.place().unwrap().to_string(), "a.js:3");
    }
}

//! The Test Anything Protocol, versions 13 and 14.
//!
//! A test point is a case. A plan counts the test points of the report or of a subtest. Subtests are indented, and belong to the test
//! point behind them, or to the test point before them if it ends in `{`.

mod frame;
mod point;

use alloc::{
    format,
    string::{String, ToString as _},
};

use adjudicate_core::Error;

use self::frame::PointTree;
use super::FormatRow;
use crate::{
    Location, Reading,
    duration::{Unit, milliseconds},
    lines::{Line, lines},
    text::{first_line, one_line},
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "tap",
    writers: &[
        "node --test-reporter=tap",
        "node-tap",
        "vitest --reporter=tap",
        "prove",
        "bats",
        "pgTAP",
        "pytest-tap",
    ],
    file_names: &["*.tap"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let (mut points, mut plans) = (0, 0);
    for line in lines(text).take(200) {
        match LineKind::of(line.text.trim_start()) {
            LineKind::Version => return true,
            LineKind::Point { .. } => points += 1,
            LineKind::Plan { .. } => plans += 1,
            _ => {}
        }
    }
    points > 0 && plans > 0
}

fn read(text: &str) -> Result<Reading, Error> {
    let mut reader = TapReader::default();
    for line in lines(text) {
        reader.line(line)?;
    }
    if let Some((_, line)) = reader.block {
        reader.tree.cases.incomplete.add(format!("line {line}: a YAML block did not end"));
    }
    Ok(Reading::Tests(reader.tree.finish()?))
}

/// The meaning of a line without its indentation.
enum LineKind<'t> {
    Version,
    Plan {
        count: u64,
        reason: Option<&'t str>,
    },
    Point {
        is_ok: bool,
        rest: &'t str,
    },
    BailOut(&'t str),
    /// A comment, a pragma, the end of a subtest in braces, or a blank line.
    Ignored,
    /// Not a part of the report.
    Unread,
}

impl<'t> LineKind<'t> {
    fn of(line: &'t str) -> Self {
        if let Some(rest) = line.strip_prefix("not ok").filter(|rest| ends_word(rest)) {
            return Self::Point { is_ok: false, rest };
        }
        if let Some(rest) = line.strip_prefix("ok").filter(|rest| ends_word(rest)) {
            return Self::Point { is_ok: true, rest };
        }
        if let Some(reason) = line.strip_prefix("Bail out!") {
            return Self::BailOut(reason);
        }
        if let Some(plan) = line.strip_prefix("1..").and_then(plan) {
            return plan;
        }
        match line.trim_end() {
            "" | "}" => Self::Ignored,
            other if other.starts_with("TAP version ") => Self::Version,
            other if other.starts_with('#') || other.starts_with("pragma ") => Self::Ignored,
            _ => Self::Unread,
        }
    }
}

/// Returns true if this text follows a whole word: it is empty or begins with white space.
fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

/// Reads the rest of a plan after `1..`: the number of test points, and the reason after a `#`.
fn plan(text: &str) -> Option<LineKind<'_>> {
    let (count, reason) =
        text.split_once('#').map_or((text, None), |(count, reason)| (count, Some(reason.trim())));
    Some(LineKind::Plan { count: count.trim().parse().ok()?, reason })
}

#[derive(Default)]
struct TapReader {
    tree: PointTree,
    /// The YAML block at the cursor, with the line of its beginning.
    block: Option<(Diagnostics, usize)>,
    /// True if the previous line is a test point, which a YAML block may follow.
    is_after_point: bool,
}

impl TapReader {
    fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        if let Some((block, _)) = &mut self.block {
            if block.ends_at(indent, text) {
                let Some((block, _)) = self.block.take() else { return Ok(()) };
                self.tree.describe(block);
            } else {
                block.add(indent, text);
            }
            return Ok(());
        }
        if core::mem::take(&mut self.is_after_point)
            && text.trim_end() == "---"
            && indent > self.tree.indent()
        {
            self.block = Some((Diagnostics::new(indent), line.number));
            return Ok(());
        }
        match LineKind::of(text) {
            LineKind::Version | LineKind::Ignored => {}
            LineKind::Unread => self.tree.cases.unread_lines += 1,
            LineKind::Plan { count, reason } => self.tree.plan(indent, count, reason, line.number)?,
            LineKind::Point { is_ok, rest } => {
                self.tree.point(indent, is_ok, rest, line.number)?;
                self.is_after_point = true;
            }
            LineKind::BailOut(reason) => {
                let reason: String = one_line(&format!("Bail out!{}", reason.trim_end()));
                self.tree.cases.incomplete.add(format!("line {}: {reason}", line.number));
            }
        }
        Ok(())
    }
}

/// The YAML block of a test point: just enough of it for a message, a place and a duration.
#[derive(Debug)]
struct Diagnostics {
    indent: usize,
    message: Option<String>,
    location: Option<Location>,
    duration_ms: Option<u64>,
    file: Option<String>,
    line: Option<u32>,
    /// True if the next line is the first of a block scalar that is the message.
    is_message_next: bool,
}

impl Diagnostics {
    fn new(indent: usize) -> Self {
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
    fn ends_at(&self, indent: usize, text: &str) -> bool {
        text.trim_end() == "..." && indent <= self.indent
    }

    /// Adds a line of the block. The first field of a name counts, at any depth, because writers nest `at` and `error` or do not.
    fn add(&mut self, indent: usize, text: &str) {
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
    fn place(&mut self) -> Option<Location> {
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

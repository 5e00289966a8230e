//! The Test Anything Protocol, versions 13 and 14.
//!
//! A test point is a case. A plan counts the test points of the report or of a subtest. Subtests are indented, and belong to the test
//! point behind them, or to the test point before them if it ends in `{`.

mod directive;
mod frame;
mod point;
mod yaml;

use alloc::{format, string::String};

use adjudicate_core::Error;

use super::row::FormatRow;
use crate::{
    Reading,
    lines::{Line, lines},
    text::one_line,
};

use frame::PointTree;
use yaml::Diagnostics;

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

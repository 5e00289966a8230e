//! A line of a text with a part of it underlined.

use unicode_width::UnicodeWidthChar;

use super::position::{Extent, Position};
use crate::table::visible;

/// The mark for text that is left out.
const CUT: &str = "...";
/// A tab, as wide as it is shown.
const TAB: &str = "    ";

/// Takes excerpts from a text, in the order of their positions. Each search starts where the previous one ended,
/// because a text may be one long line with many problems.
#[derive(Debug)]
pub(super) struct Excerpts<'t> {
    text: &'t str,
    position: Position,
    offset: usize,
}

/// The first line of a part as it is shown, and the carets under the part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) line: String,
    pub(super) carets: String,
}

impl<'t> Excerpts<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, position: Position::START, offset: 0 }
    }

    /// Returns an excerpt of at most `width` columns: the first line of the part. Returns `None` if the text has no
    /// such part, or if the part begins before an earlier excerpt.
    pub(super) fn take(&mut self, extent: Extent, width: usize) -> Option<Excerpt> {
        let rest = self.text.get(self.offset..)?;
        let mut position = self.position;
        for (at, c) in rest.char_indices().chain([(rest.len(), '\n')]) {
            if position >= extent.start {
                self.offset += at;
                self.position = position;
                break;
            }
            position = if c == '\n' {
                Position { line: position.line + 1, column: 1 }
            } else {
                Position { column: position.column + 1, ..position }
            };
        }
        (self.position == extent.start).then(|| self.excerpt(extent, width))
    }

    fn excerpt(&self, extent: Extent, width: usize) -> Excerpt {
        let (before, rest) = self.text.split_at_checked(self.offset).unwrap_or_default();
        let is_in_line = |c: &char| *c != '\n';
        // The width limits the characters that can be shown.
        let mut before: Vec<char> = before.chars().rev().take_while(is_in_line).take(width + 1).collect();
        let mut after: Vec<char> = rest.chars().take_while(is_in_line).take(width + 1).collect();
        while after.last().is_some_and(|c| c.is_whitespace()) && after.len() <= width {
            after.pop();
        }
        let under = match extent.end.line == extent.start.line {
            true => extent.end.column.saturating_sub(extent.start.column),
            false => after.len(),
        };
        let is_cut = columns(&before) + columns(&after) > width;
        let room = width.saturating_sub(2 * CUT.len()).max(1);
        let (mut cut_before, mut cut_after) = ("", "");
        if is_cut {
            cut_before = truncate(&mut before, (room / 3).max(room.saturating_sub(columns(&after))));
            cut_after = truncate(&mut after, room.saturating_sub(columns(&before)));
        }
        let shown = before.iter().rev().chain(&after).map(|c| shown(*c)).collect::<String>();
        let under: usize = after.iter().take(under).copied().map(width_of).sum();
        let indent = cut_before.len() + columns(&before);
        let line = format!("{cut_before}{shown}{cut_after}");
        Excerpt { line: line.trim_end().to_owned(), carets: " ".repeat(indent) + &"^".repeat(under.max(1)) }
    }
}

/// Keeps the characters that fit, and returns the mark for the others.
fn truncate(chars: &mut Vec<char>, room: usize) -> &'static str {
    let mut left = room;
    let fits = |c: &&char| left.checked_sub(width_of(**c)).inspect(|rest| left = *rest).is_some();
    let fitting = chars.iter().take_while(fits).count();
    let is_cut = fitting < chars.len();
    chars.truncate(fitting);
    if is_cut { CUT } else { "" }
}

fn shown(c: char) -> String {
    if c == '\t' { TAB.to_owned() } else { visible(c.encode_utf8(&mut [0; 4])) }
}

fn columns(chars: &[char]) -> usize {
    chars.iter().copied().map(width_of).sum()
}

fn width_of(c: char) -> usize {
    shown(c).chars().map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, from: (usize, usize), to: (usize, usize), width: usize) -> (String, String) {
        let at = |(line, column)| Position { line, column };
        let extent = Extent { start: at(from), end: at(to) };
        let excerpt = Excerpts::new(text).take(extent, width).unwrap();
        (excerpt.line, excerpt.carets)
    }

    fn line_text(line: &str, carets: &str) -> (String, String) {
        (line.to_owned(), carets.to_owned())
    }

    #[test]
    fn carets_stand_under_the_part_at_fault() {
        assert_eq!(excerpt("a: 1\nbc: 23\n", (2, 5), (2, 7), 80), line_text("bc: 23", "    ^^"));
        assert_eq!(excerpt("\tx: é日\r\n", (1, 5), (1, 7), 80), line_text("    x: é日", "       ^^^"));
        assert_eq!(excerpt("a:\n  b: 1  \n  c: 2\n", (2, 3), (4, 1), 80), line_text("  b: 1", "  ^^^^"));
        assert_eq!(excerpt("a\u{1b}b", (1, 3), (1, 4), 80), line_text("a\\u{1b}b", "       ^"));
        assert_eq!(excerpt("a: ", (1, 4), (1, 4), 80), line_text("a:", "   ^"));
        assert_eq!(excerpt("", (1, 1), (1, 1), 80), line_text("", "^"));
    }

    #[test]
    fn long_lines_are_cut_around_it() {
        let line = "x".repeat(50) + "BAD" + &"y".repeat(50);
        assert_eq!(
            excerpt(&line, (1, 51), (1, 54), 26),
            line_text("...xxxxxxBADyyyyyyyyyyy...", "         ^^^")
        );
        assert_eq!(excerpt(&line, (1, 1), (1, 104), 20), line_text("xxxxxxxxxxxxxx...", "^^^^^^^^^^^^^^"));
        assert_eq!(
            excerpt(&line, (1, 103), (1, 104), 20),
            line_text("...yyyyyyyyyyyyyy", "                ^")
        );
    }

    #[test]
    fn one_after_the_other() {
        let at = |line, column| Position { line, column };
        let mut excerpts = Excerpts::new("ab\ncd");
        let mut carets =
            |position: Position| excerpts.take(position.alone(), 80).map(|excerpt| excerpt.carets);
        assert_eq!(carets(at(1, 2)).as_deref(), Some(" ^"));
        assert_eq!(carets(at(1, 2)).as_deref(), Some(" ^"));
        assert_eq!(carets(at(2, 1)).as_deref(), Some("^"));
        assert_eq!(carets(at(1, 1)), None);
        assert_eq!(carets(at(2, 9)), None);
        assert_eq!(carets(at(9, 1)), None);
    }
}

//! A page of text: headings, labelled lines, words wrapped to a width, styles. It does not depend on the content.

use adjudicate_trust::visible;
use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{BOLD, DIM, PLAIN, word};

/// A page. It is laid out when the width is known.
#[derive(Debug, Default)]
pub(crate) struct Page {
    lines: Vec<Line>,
}

/// A line of words, wrapped to continuation lines with their own indentation.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// The prefix of the line and of its continuation lines.
    margin: (String, String),
    indent: usize,
    /// The label before the words, at least as wide as the space between `indent` and `hang`.
    label: Option<(String, Style)>,
    hang: usize,
    words: Vec<(String, Style)>,
}

/// The column of the text in a labelled line.
const HANG: usize = 12;

impl Page {
    /// Adds an empty line.
    pub(crate) fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    /// Adds a gap and a heading.
    pub(crate) fn heading(&mut self, text: &str) {
        self.gap();
        self.push(Line::at(0).text(text, BOLD));
    }

    /// Adds a line of words that begins in this column.
    pub(crate) fn line(&mut self, indent: usize, words: &[(&str, Style)]) {
        self.push(Line::at(indent).words(words));
    }

    /// Adds a labelled line, unless its text is empty. The columns are those of the label and of the text.
    pub(crate) fn labelled(&mut self, (indent, hang): (usize, usize), label: &str, text: &str) {
        if !text.is_empty() {
            self.push(Line::at(indent).label(label, DIM, hang).text(text, PLAIN));
        }
    }

    /// Adds lines with a label before the first. The columns are those of the label and of the words.
    pub(crate) fn listed<'a, const N: usize>(
        &mut self,
        (indent, hang): (usize, usize),
        label: &str,
        lines: impl IntoIterator<Item = [(&'a str, Style); N]>,
    ) {
        for (index, words) in lines.into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            self.push(Line::at(indent).label(label, DIM, hang).words(&words));
        }
    }

    /// Adds a labelled line.
    pub(crate) fn row(&mut self, label: &str, line_text: &str) {
        self.push(Line::at(0).label(label, DIM, HANG).text(line_text, PLAIN));
    }

    /// Adds a labelled digest, which is 71 columns wide and is copied as a whole.
    pub(crate) fn digest(&mut self, of: &str, digest: &str) {
        self.push(Line::at(0).label(of, DIM, 8).text(digest, PLAIN));
    }

    pub(crate) fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Returns the page as text with ANSI styles. Each line is at most `width` columns wide, if its words allow it.
    pub(crate) fn render(&self, width: usize) -> String {
        let mut out = String::new();
        for line in &self.lines {
            line.render(width, &mut out);
        }
        out
    }
}

impl Line {
    /// Returns a line that begins in this column, as do its continuation lines.
    pub(crate) fn at(indent: usize) -> Self {
        Self { indent, hang: indent, ..Self::default() }
    }

    /// Sets the prefixes of the line and of its continuation lines. Columns are counted after them.
    pub(crate) fn right_of(mut self, first: &str, rest: &str) -> Self {
        self.margin = (first.to_owned(), rest.to_owned());
        self
    }

    /// Sets the label before the words, which begin in the column `hang`.
    pub(crate) fn label(mut self, text: &str, style: Style, hang: usize) -> Self {
        self.label = Some((visible(text), style));
        self.hang = hang;
        self
    }

    /// Returns a line that begins with a status in capitals.
    pub(crate) fn badge(status: &str) -> Self {
        Self::at(0).text(&status.replace('_', " ").to_uppercase(), word(status))
    }

    /// Adds words of several styles.
    pub(crate) fn words(self, words: &[(&str, Style)]) -> Self {
        words.iter().fold(self, |line, (text, style)| line.text(text, *style))
    }

    /// Adds words.
    pub(crate) fn text(mut self, text: &str, style: Style) -> Self {
        self.words.extend(visible(text).split_whitespace().map(|word| (word.to_owned(), style)));
        self
    }

    /// Adds text with its spaces, as one word.
    pub(crate) fn verbatim(mut self, text: &str, style: Style) -> Self {
        self.words.push((visible(text), style));
        self
    }

    fn render(&self, width: usize, out: &mut String) {
        let (first, rest) = &self.margin;
        styled(out, first, DIM);
        // Words have at least 8 columns, even if the page is narrower than the margin.
        let width = width.saturating_sub(rest.width()).max(self.hang + 8);
        let new_line = |out: &mut String, column| {
            out.push('\n');
            styled(out, rest, DIM);
            out.extend(std::iter::repeat_n(' ', column));
        };
        let mut column = self.indent;
        out.extend(std::iter::repeat_n(' ', self.indent));
        // At least one space stands between the label and the words, and between words.
        let mut gap = 0;
        if let Some((label, style)) = &self.label {
            for (index, piece) in pieces(label, columns_from(self.indent, width)).enumerate() {
                if index > 0 {
                    new_line(out, self.indent);
                }
                styled(out, piece, *style);
                column = self.indent + piece.width();
            }
            gap = self.hang.saturating_sub(column).max(1);
        }
        let columns_left = columns_from(self.hang, width);
        let words = self
            .words
            .iter()
            .flat_map(|(word, style)| pieces(word, columns_left).map(|piece| (piece, *style)));
        for (word, style) in words {
            let begins = column + gap;
            // At the column `hang` a new line would have no more room.
            if begins > self.hang && begins + word.width() > width {
                new_line(out, self.hang);
                column = self.hang;
            } else {
                out.extend(std::iter::repeat_n(' ', gap));
                column = begins;
            }
            styled(out, word, style);
            column += word.width();
            gap = 1;
        }
        out.push('\n');
    }
}

/// Returns the room from a column on, at least 8 columns.
fn columns_from(column: usize, width: usize) -> usize {
    width.saturating_sub(column).max(8)
}

fn styled(out: &mut String, text: &str, style: Style) {
    if text.is_empty() {
        return;
    }
    out.push_str(&format!("{style}{text}{style:#}"));
}

/// Splits a word into pieces of at most `most` columns. A wider character is a piece of its own.
fn pieces(word: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut columns = 0;
        let end = rest.char_indices().find_map(|(at, c)| {
            columns += c.width().unwrap_or(0);
            (at > 0 && columns > most).then_some(at)
        });
        let (piece, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_flow_hang_and_break() {
        let (line, wall) = (|text| Line::at(0).text(text, PLAIN), "│".repeat(9));
        for (line, width, expected) in [
            (
                Line::at(2).label("seen", BOLD, 8).text("one two three four", PLAIN),
                20,
                "  seen  one two\n        three four\n",
            ),
            // A prefix narrows its line, but words always have eight columns.
            (line("one two three").right_of("├─ ", "│  "), 11, "├─ one two\n│  three\n"),
            (line("one two three").right_of(&wall, &wall), 10, "│││││││││one two\n│││││││││three\n"),
            // A long label pushes the words, or is split: it can be data of any length.
            (Line::at(0).label("expected", PLAIN, 4).text("one two", PLAIN), 12, "expected one\n    two\n"),
            (Line::at(0).label("expected", PLAIN, 2).text("one two", PLAIN), 11, "expected\n  one two\n"),
            (
                Line::at(2).label("abcdefghijklm", PLAIN, 4).text("one two", PLAIN).right_of("├ ", "│ "),
                14,
                "├   abcdefghij\n│   klm one\n│     two\n",
            ),
            // Wide characters count twice.
            (line("abcdefghijkl"), 8, "abcdefgh\nijkl\n"),
            (line("日本語日本語"), 8, "日本語日\n本語\n"),
            (line("a\u{1b}[31m\u{9b}\u{202e}d\nnext"), 80, "a\\u{1b}[31m\\u{9b}\\u{202e}d\\nnext\n"),
        ] {
            let page = Page { lines: vec![line] };
            assert_eq!(anstream::adapter::strip_str(&page.render(width)).to_string(), expected);
        }
    }
}

//! The lines of a text with their numbers.

/// One line, without its line break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// The number. The first line is 1.
    pub number: usize,
    /// The text.
    pub text: &'t str,
    /// True if a line break follows. The last line of a text that was cut has none.
    pub has_break: bool,
}

/// Returns the lines of a text. A line break at the end of the text does not begin another line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n').enumerate().map(|(index, line)| {
        let text = line.strip_suffix('\n');
        let plain = text.unwrap_or(line);
        Line { number: index + 1, text: plain.strip_suffix('\r').unwrap_or(plain), has_break: text.is_some() }
    })
}

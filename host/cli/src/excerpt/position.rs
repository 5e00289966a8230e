//! Positions in a text, in lines and columns from 1.

/// The position of a character: its line and its column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A part of a text. The end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Extent {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

impl Position {
    /// The beginning of a text.
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// Returns the position after a text that begins here.
    pub(super) fn after(self, text: &str) -> Self {
        match text.rsplit_once('\n') {
            Some((before, last)) => {
                Self { line: self.line + before.matches('\n').count() + 1, column: last.chars().count() + 1 }
            }
            None => Self { column: self.column + text.chars().count(), ..self },
        }
    }

    /// Returns the extent of the character at this position.
    pub(super) const fn alone(self) -> Extent {
        Extent { start: self, end: Self { line: self.line, column: self.column + 1 } }
    }
}

/// Splits the position off the message of an error about text, which ends with, for example, `, line 3 column 14`.
pub(super) fn split(message: &str) -> (&str, Option<Position>) {
    let position = || {
        let (before, rest) = message.rsplit_once(", line ")?;
        let (line, column) = rest.split_once(" column ")?;
        Some((before, Position { line: line.parse().ok()?, column: column.parse().ok()? }))
    };
    position().map_or((message, None), |(before, position)| (before, Some(position)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let at = |line, column| Position { line, column };
        assert_eq!(Position::START.after(""), at(1, 1));
        assert_eq!(Position::START.after("é日"), at(1, 3));
        assert_eq!(Position::START.after("a\nb\r\ncd"), at(3, 3));
        assert_eq!(at(4, 7).after("x\n"), at(5, 1));
    }

    #[test]
    fn a_position_is_split_off_a_message() {
        let position = Some(Position { line: 3, column: 14 });
        assert_eq!(split("expected a value, line 3 column 14"), ("expected a value", position));
        for message in ["", "x", "a, line 3", "a, line x column y", "a, line 3 column 4 or so"] {
            assert_eq!(split(message), (message, None));
        }
    }
}

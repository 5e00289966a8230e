//! Places in a text, as people count them.

/// A character of a text: its line, and its column in it, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A part of a text, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Extent {
    pub(super) start: Place,
    pub(super) end: Place,
}

impl Place {
    /// Where a text begins.
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// The place behind some text that begins here.
    pub(super) fn after(self, text: &str) -> Self {
        match text.rsplit_once('\n') {
            Some((before, last)) => {
                Self { line: self.line + before.matches('\n').count() + 1, column: last.chars().count() + 1 }
            }
            None => Self { column: self.column + text.chars().count(), ..self },
        }
    }

    /// The character here, as a part.
    pub(super) const fn alone(self) -> Extent {
        Extent { start: self, end: Self { line: self.line, column: self.column + 1 } }
    }
}

/// Takes the place that errors about text end with, `, line 3 column 14`, off their message.
pub(super) fn split(message: &str) -> (&str, Option<Place>) {
    let place = || {
        let (before, rest) = message.rsplit_once(", line ")?;
        let (line, column) = rest.split_once(" column ")?;
        Some((before, Place { line: line.parse().ok()?, column: column.parse().ok()? }))
    };
    place().map_or((message, None), |(before, place)| (before, Some(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let at = |line, column| Place { line, column };
        assert_eq!(Place::START.after(""), at(1, 1));
        assert_eq!(Place::START.after("é日"), at(1, 3));
        assert_eq!(Place::START.after("a\nb\r\ncd"), at(3, 3));
        assert_eq!(at(4, 7).after("x\n"), at(5, 1));
    }

    #[test]
    fn messages_give_their_place_away() {
        let place = Some(Place { line: 3, column: 14 });
        assert_eq!(split("expected a value, line 3 column 14"), ("expected a value", place));
        for message in ["", "x", "a, line 3", "a, line x column y", "a, line 3 column 4 or so"] {
            assert_eq!(split(message), (message, None));
        }
    }
}

//! Test points, and their descriptions with directives.

use alloc::{format, string::String};

use crate::{
    CaseResult, CaseStatus, Location,
    duration::{Unit, milliseconds},
    text::{bounded_id, first_line},
};

/// A test point.
pub(super) struct TestPoint {
    pub name: String,
    pub status: CaseStatus,
    pub message: Option<String>,
    pub location: Option<Location>,
    pub duration_ms: Option<u64>,
    pub line: usize,
    /// The test point that the subtest of this point belongs to.
    pub parent: Option<usize>,
}

impl TestPoint {
    pub(super) fn new(is_ok: bool, description: Description, number: u64, line: usize) -> Self {
        let reason = description.skip.or(description.todo);
        let status = match (&reason, is_ok) {
            // A TODO is expected to fail. Some writers report a TODO that did not run as `ok`.
            (Some(_), _) => CaseStatus::Skipped,
            (None, true) => CaseStatus::Passed,
            (None, false) => CaseStatus::Failed,
        };
        let name =
            if description.name.is_empty() { format!("{number}") } else { bounded_id(&description.name) };
        Self {
            name,
            status,
            message: reason.as_deref().and_then(first_line),
            location: None,
            duration_ms: description.duration_ms,
            line,
            parent: None,
        }
    }

    pub(super) fn into_case(self, id: String) -> CaseResult {
        CaseResult {
            id,
            status: self.status,
            message: self.message,
            file: None,
            location: self.location,
            duration_ms: self.duration_ms,
        }
    }
}

/// The parts of a test point behind `ok` or `not ok`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    pub number: Option<u64>,
    pub name: String,
    /// The reason of `# SKIP`.
    pub skip: Option<String>,
    /// The reason of `# TODO`.
    pub todo: Option<String>,
    pub duration_ms: Option<u64>,
    /// True if the subtest follows in braces.
    pub opens_subtest: bool,
}

impl Description {
    pub(super) fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let mut text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if let Some((number, rest)) = text.split_at_checked(digits)
            && let Ok(number) = number.parse()
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            parsed.number = Some(number);
            text = rest.trim_start();
        }
        text = text
            .strip_prefix("- ")
            .or_else(|| text.strip_prefix('-').filter(|rest| rest.is_empty()))
            .unwrap_or(text);
        if let Some(rest) = text.strip_suffix('{').filter(|rest| rest.is_empty() || rest.ends_with(' ')) {
            parsed.opens_subtest = true;
            text = rest.trim_end();
        }
        let (name, comment) = split_comment(text);
        let is_known = comment.is_none_or(|comment| parsed.comment(comment.trim()));
        // A comment without a known meaning belongs to the name.
        parsed.name = unescape(if is_known { name } else { text });
        parsed
    }

    /// Reads the comment of a test point. Returns false if it has no known meaning.
    fn comment(&mut self, comment: &str) -> bool {
        let word = comment.split([' ', '\t', ':']).next().unwrap_or_default();
        let reason = || comment.get(word.len()..).unwrap_or_default().trim_start_matches([':', ' ', '\t']);
        if let Some(time) = comment.strip_prefix("time=") {
            let (number, unit) = match time.trim().strip_suffix("ms") {
                Some(number) => (number, Unit::Milliseconds),
                None => (time.trim().trim_end_matches('s'), Unit::Seconds),
            };
            self.duration_ms = milliseconds(number, unit);
        } else if word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("skip")) {
            self.skip = Some(unescape(reason()));
        } else if word.eq_ignore_ascii_case("todo") {
            self.todo = Some(unescape(reason()));
        } else {
            return false;
        }
        true
    }
}

/// Splits a text at its first `#` that is not escaped, and begins the text or follows a space.
fn split_comment(text: &str) -> (&str, Option<&str>) {
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        if character == '#' && previous.is_whitespace() {
            let (name, comment) = text.split_at_checked(at).unwrap_or((text, ""));
            return (name.trim_end(), comment.strip_prefix('#'));
        }
        previous = character;
    }
    (text, None)
}

/// Replaces `\#` by `#` and `\\` by `\`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && matches!(next, '#' | '\\'));
        out.push(escaped.unwrap_or(character));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_split() {
        let named = |number, name: &str| Description { number, name: name.into(), ..Description::default() };
        for (text, expected) in [
            (" 1 - adds", named(Some(1), "adds")),
            (" adds", named(None, "adds")),
            (" 2", named(Some(2), "")),
            (" 3 3d model", named(Some(3), "3d model")),
            (" 3d model", named(None, "3d model")),
            (" 4 - issue \\#7 \\\\ a#b", named(Some(4), "issue #7 \\ a#b")),
            (" 5 - a # b", named(Some(5), "a # b")),
            (" 6 - a # SKIP no net", Description { skip: Some("no net".into()), ..named(Some(6), "a") }),
            (" 7 # skipped: x", Description { skip: Some("x".into()), ..named(Some(7), "") }),
            (" 8 - a # Todo", Description { todo: Some(String::new()), ..named(Some(8), "a") }),
            (
                " 9 - a # time=6.30ms {",
                Description { duration_ms: Some(6), opens_subtest: true, ..named(Some(9), "a") },
            ),
            (" 10 - a {", Description { opens_subtest: true, ..named(Some(10), "a") }),
            (" 11 - a{", named(Some(11), "a{")),
        ] {
            assert_eq!(Description::parse(text), expected, "{text}");
        }
    }
}

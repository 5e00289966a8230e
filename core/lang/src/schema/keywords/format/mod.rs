//! `format`: which formats can assert, in one table. `formats.md` tells people the same.
//!
//! What is not in the table only annotates. The formats of international names need tables of Unicode that would be
//! larger than all of this, host names with `xn--` labels do too, and `regex` is about more patterns than
//! [`pattern`](crate::pattern) takes.

mod network;
mod time;

use crate::{json::is_pointer, schema::dialect::Draft};

/// A format that can assert: its row.
#[derive(Clone, Copy, Debug)]
pub(in crate::schema) struct Format(&'static Row);

#[derive(Debug)]
struct Row {
    name: &'static str,
    /// Whether draft-07 has it too.
    in_draft7: bool,
    allows: fn(&str) -> bool,
}

const fn row(name: &'static str, in_draft7: bool, allows: fn(&str) -> bool) -> Row {
    Row { name, in_draft7, allows }
}

static ROWS: &[Row] = &[
    row("date", true, time::is_date),
    row("date-time", true, time::is_date_time),
    row("duration", false, time::is_duration),
    row("email", true, network::is_email),
    row("ipv4", true, network::is_ipv4),
    row("ipv6", true, network::is_ipv6),
    row("json-pointer", true, is_pointer),
    row("relative-json-pointer", true, is_relative_json_pointer),
    row("time", true, time::is_time),
    row("uri", true, network::is_uri),
    row("uri-reference", true, network::is_uri_reference),
    row("uuid", false, is_uuid),
];

impl Format {
    /// The format of that name, if the draft has it and it can assert.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let row = ROWS.iter().find(|row| row.name == name)?;
        (row.in_draft7 || draft == Draft::Draft2020).then_some(Self(row))
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether a text is of the format.
    pub(in crate::schema) fn allows(self, text: &str) -> bool {
        (self.0.allows)(text)
    }
}

fn is_relative_json_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = text.len() - rest.len();
    digits > 0 && (digits == 1 || !text.starts_with('0')) && (rest == "#" || is_pointer(rest))
}

fn is_uuid(text: &str) -> bool {
    let mut lengths = [8, 4, 4, 4, 12].into_iter();
    let is_part =
        |part: &str| lengths.next() == Some(part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('-').all(is_part) && lengths.len() == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn people_are_told_of_every_format() {
        let told = include_str!("../../formats.md");
        assert_eq!(told.lines().count(), ROWS.len());
        for (line, row) in told.lines().zip(ROWS) {
            let draft = if row.in_draft7 { "both" } else { "2020-12" };
            assert!(line.starts_with(&format!("| `{}` | {draft} |", row.name)), "{line}");
        }
    }
}

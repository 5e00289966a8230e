//! `format`: the table of asserting formats. `formats.md` documents it.
//!
//! All other formats only annotate. Formats for international names, and host names with `xn--` labels, need Unicode tables larger
//! than the rest of this crate's schema code. The format `regex` includes patterns that [`pattern`](crate::pattern) does not
//! support.

mod network;
mod time;

pub use time::is_date_time;

use crate::{json::is_pointer, schema::dialect::Draft};

/// An asserting format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format(&'static FormatRow);

#[derive(Debug)]
struct FormatRow {
    name: &'static str,
    /// True if draft-07 has the format too.
    in_draft7: bool,
    allows: fn(&str) -> bool,
}

const fn row(name: &'static str, in_draft7: bool, allows: fn(&str) -> bool) -> FormatRow {
    FormatRow { name, in_draft7, allows }
}

static ROWS: &[FormatRow] = &[
    row("date", true, time::is_date),
    row("date-time", true, is_date_time),
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
    /// Returns the format of this name, if it asserts in the draft.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let row = ROWS.iter().find(|row| row.name == name)?;
        (row.in_draft7 || draft == Draft::Draft2020).then_some(Self(row))
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns whether a text has the format.
    pub(super) fn allows(self, text: &str) -> bool {
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
    fn every_format_is_documented() {
        let listed = include_str!("../formats.md");
        assert_eq!(listed.lines().count(), ROWS.len());
        for (line, row) in listed.lines().zip(ROWS) {
            let draft = if row.in_draft7 { "both" } else { "2020-12" };
            assert!(line.starts_with(&format!("| `{}` | {draft} |", row.name)), "{line}");
        }
    }
}

//! The `-z` forms: entries that end in NUL, with unquoted names.

use alloc::vec::Vec;

use super::{FileLine, Reading, name_status, numstat, porcelain, raw, short, tokens::Tokens};

/// Reads a text that contains NUL. The first entries of any two formats differ.
pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    // A text without a final NUL was cut.
    let tokens = Tokens(text.strip_suffix('\0')?.split('\0'));
    let formats = [
        short::parse_terminated,
        porcelain::parse_terminated,
        name_status::parse_terminated,
        numstat::parse_terminated,
        raw::parse_terminated,
    ];
    formats.iter().find_map(|parse| parse(tokens.clone()))
}

/// Reads the files of a text in a known format. An empty text has none. Branch headers are no files.
pub(super) fn files<'a>(
    text: &'a str,
    parse: fn(Tokens<'a>) -> Option<Reading<'a>>,
) -> Option<Vec<FileLine<'a>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    Some(match parse(Tokens(text.strip_suffix('\0')?.split('\0')))? {
        Reading::Files(files) => files,
        Reading::Opaque { .. } => Vec::new(),
    })
}

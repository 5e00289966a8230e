//! The `-z` forms: entries that end in a NUL, with names as they are.

use super::{Reading, name_status, numstat, porcelain, raw, short};

/// Reads a text with a NUL in it. The first entry of each format differs from those of all others.
pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    // A text that does not end in a NUL was cut.
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

/// The entries of a text.
#[derive(Clone)]
pub(super) struct Tokens<'a>(core::str::Split<'a, char>);

impl<'a> Tokens<'a> {
    /// The next entry, which is a name.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.next().filter(|name| !name.is_empty())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

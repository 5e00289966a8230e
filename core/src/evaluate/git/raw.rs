//! `git diff --raw`: modes, object ids, and the output of `--name-status`.

use alloc::vec::Vec;

use super::{FileLine, Reading, is_directory_mode, is_mode, is_object, name_status, tokens::Tokens};

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    super::files_of_lines(text, file)
}

/// Reads the entries of `-z`: everything but the names, then one or two paths.
pub(super) fn parse_terminated<'a>(mut tokens: Tokens<'a>) -> Option<Reading<'a>> {
    let mut files = Vec::new();
    while let Some(token) = tokens.next() {
        let (code, is_directory) = entry(token)?;
        let file = name_status::terminated_file(code, &mut tokens)?;
        files.push(FileLine { is_directory: file.is_directory || is_directory, ..file });
    }
    Some(Reading::Files(files))
}

fn file(line: &str) -> Option<FileLine<'_>> {
    let (code, is_directory) = entry(line)?;
    let file = name_status::file(code)?;
    Some(FileLine { is_directory: file.is_directory || is_directory, ..file })
}

/// Reads `:100644 100644 bcd1234 0123456 M` and the rest: the part from the letter on, and true if a mode is that of a directory.
fn entry(text: &str) -> Option<(&str, bool)> {
    let mut parts = text.strip_prefix(':')?.splitn(5, ' ');
    let modes = [parts.next()?, parts.next()?];
    let objects = [parts.next()?, parts.next()?];
    let is_entry = modes.iter().all(|mode| is_mode(mode)) && objects.iter().all(|object| is_object(object));
    let is_directory = modes.iter().any(|mode| is_directory_mode(mode));
    parts.next().filter(|_| is_entry).map(|code| (code, is_directory))
}

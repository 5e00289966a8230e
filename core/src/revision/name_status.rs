//! A typed diff as text: the output of `git diff --name-status`, with git's quoting.
//!
//! Owns writing this format; `evaluate/git` owns reading it. Reading the written text gives the same files, directories and
//! changes.

use alloc::{borrow::Cow, string::String};
use core::fmt::Write as _;

use adjudicate_lang::paths::normalize;

use crate::documents::evidence::{Change, Diff, DiffFile, FileKind};

/// The text of a diff, one line for each file.
pub(crate) fn name_status(diff: &Diff<'_>) -> String {
    let mut text = String::new();
    for file in &diff.files {
        let (path, from) = (name(file, file.path), file.from.map(|from| name(file, from)));
        match (file.change, from) {
            // Git adds a similarity score to the letter; a typed diff has none.
            (Change::Renamed, Some(from)) => line(&mut text, "R", &[from, path]),
            (change, from) => {
                for path in [Some(path), from].into_iter().flatten() {
                    line(&mut text, letter(change), &[path]);
                }
            }
        }
    }
    text
}

/// The name as git prints it: a directory ends in `/`, and the root is `./`.
fn name<'a>(file: &DiffFile<'_>, path: &'a str) -> Cow<'a, str> {
    match file.kind {
        _ if path.ends_with('/') => Cow::Borrowed(path),
        _ if path.is_empty() => Cow::Borrowed("./"),
        _ if normalize(path).is_empty() => Cow::Owned(String::from(path) + "/"),
        Some(FileKind::Directory) => Cow::Owned(String::from(path) + "/"),
        _ => Cow::Borrowed(path),
    }
}

const fn letter(change: Change) -> &'static str {
    match change {
        Change::Added => "A",
        Change::Modified => "M",
        Change::Deleted => "D",
        Change::Renamed => "R",
    }
}

fn line(text: &mut String, letter: &str, names: &[Cow<'_, str>]) {
    text.push_str(letter);
    for name in names {
        text.push('\t');
        push_name(text, name);
    }
    text.push('\n');
}

/// A name as git prints it: in double quotes with C escapes, unless it is plain.
fn push_name(text: &mut String, name: &str) {
    // Git does not quote a name of spaces, but only quotes tell it from an empty name.
    if !name.trim().is_empty() && name.bytes().all(is_plain) {
        text.push_str(name);
        return;
    }
    text.push('"');
    for byte in name.bytes() {
        match byte {
            plain if is_plain(plain) => text.push(char::from(plain)),
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            7 => text.push_str("\\a"),
            8 => text.push_str("\\b"),
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            11 => text.push_str("\\v"),
            12 => text.push_str("\\f"),
            b'\r' => text.push_str("\\r"),
            // Writing to a string cannot fail.
            other => drop(write!(text, "\\{other:03o}")),
        }
    }
    text.push('"');
}

/// Returns true if a byte stands for itself: printable ASCII without quote and backslash.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn lines_are_those_of_git() {
        const fn file(path: &'static str, change: Change, from: Option<&'static str>) -> DiffFile<'static> {
            DiffFile { path, change, from, kind: None, insertions: None, deletions: None }
        }
        const fn directory(path: &'static str, from: Option<&'static str>) -> DiffFile<'static> {
            DiffFile { kind: Some(FileKind::Directory), ..file(path, Change::Renamed, from) }
        }
        for (file, expected) in [
            (file("src/a.rs", Change::Modified, None), "M\tsrc/a.rs\n"),
            (file("with space.rs", Change::Added, None), "A\twith space.rs\n"),
            (file("new", Change::Renamed, Some("old")), "R\told\tnew\n"),
            (file("copy", Change::Added, Some("source")), "A\tcopy\nA\tsource\n"),
            (file("tab\there", Change::Renamed, Some("a \"b\"")), "R\t\"a \\\"b\\\"\"\t\"tab\\there\"\n"),
            (file("é\\\u{0}\u{7f}", Change::Deleted, None), "D\t\"\\303\\251\\\\\\000\\177\"\n"),
            (file("\u{7}\u{8}\n\u{b}\u{c}\r", Change::Deleted, None), "D\t\"\\a\\b\\n\\v\\f\\r\"\n"),
            (file("  ", Change::Deleted, None), "D\t\"  \"\n"),
            (file("db/", Change::Added, None), "A\tdb/\n"),
            (directory("new", Some("old")), "R\told/\tnew/\n"),
            (file("", Change::Deleted, None), "D\t./\n"),
            (file(".", Change::Deleted, None), "D\t./\n"),
            (file("a/..", Change::Modified, None), "M\ta/../\n"),
        ] {
            assert_eq!(name_status(&Diff { files: Vec::from([file]) }), expected);
        }
    }
}

//! `git status --short` and `--porcelain`: two status letters, a space, a path or `from -> to`.

use alloc::vec::Vec;

use super::{
    FileLine, Reading, branch, letters,
    names::{one_name, two_names},
    status::{self, StatusEntry},
    tokens::Tokens,
};
use crate::documents::evidence::Change;

/// Reads the lines. Headers of `--branch` name no file, but commits may hold changes.
pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    let mut files = Vec::new();
    let mut may_hide_changes = false;
    for line in super::lines(text) {
        match line.strip_prefix("## ") {
            Some(header) => may_hide_changes |= branch::short(header)?,
            None => files.push(file(line)?),
        }
    }
    Some(Reading::status(files, may_hide_changes))
}

/// Reads the entries of `-z`.
pub(super) fn parse_terminated(tokens: Tokens<'_>) -> Option<Reading<'_>> {
    status::parse_terminated(tokens, "## ", branch::short, entry)
}

fn file(line: &str) -> Option<FileLine<'_>> {
    let StatusEntry { change, has_source, is_directory, names, .. } = entry(line)?;
    // Git quotes a name with spaces, so leading white space is no part of a name. It may be an expanded tab.
    let is_indented = |name: &str| name.starts_with(char::is_whitespace);
    let file = if has_source {
        let (from, path) = two_names(names, " -> ")?;
        if is_indented(names) || !names.ends_with('"') && is_indented(&path) {
            return None;
        }
        FileLine::pair(from, path, change)
    } else {
        if is_indented(names) {
            return None;
        }
        FileLine::new(one_name(names)?, Some(change))
    };
    Some(FileLine { is_directory: file.is_directory || is_directory, ..file })
}

fn entry(text: &str) -> Option<StatusEntry<'_>> {
    let (codes, names) = text.split_at_checked(3)?;
    let [index, worktree, b' '] = *codes.as_bytes() else { return None };
    if names.is_empty() {
        return None;
    }
    if (index, worktree) == (b'?', b'?') {
        return Some(StatusEntry {
            change: Change::Added,
            has_source: false,
            is_directory: false,
            is_unmerged: false,
            names,
        });
    }
    // Changed or new files inside a submodule.
    let is_directory = matches!(worktree, b'm' | b'?');
    let worktree = if is_directory { b'M' } else { worktree };
    let (change, has_source) = letters::changes(index, worktree)?;
    Some(StatusEntry { change, has_source, is_directory, is_unmerged: false, names })
}

//! `git status --porcelain=v2`: a line for each file, with modes and object ids.

use alloc::vec::Vec;

use super::{
    FileLine, Reading, branch, is_directory_mode, is_mode, is_object, letters,
    names::{one_name, two_names},
    status::{self, StatusEntry},
    tokens::Tokens,
};
use crate::documents::evidence::Change;

/// Reads the lines. Headers name no file, but commits may hold changes.
pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    let mut files = Vec::new();
    let mut may_hide_changes = false;
    for line in super::lines(text) {
        if let Some(header) = line.strip_prefix("# ") {
            may_hide_changes |= branch::porcelain(header)?;
            continue;
        }
        let StatusEntry { change, is_directory, is_unmerged, has_source, names } = entry(line)?;
        let file = if has_source {
            let (path, from) = two_names(names, "\t")?;
            FileLine::pair(from, path, change)
        } else {
            FileLine::new(one_name(names)?, Some(change))
        };
        files.push(FileLine { is_directory: file.is_directory || is_directory, is_unmerged, ..file });
    }
    // Another program, such as `svn status`, puts columns of white space there.
    let is_foreign = !files.is_empty() && files.iter().all(|file| file.path.starts_with(char::is_whitespace));
    (!is_foreign).then(|| Reading::status(files, may_hide_changes))
}

/// Reads the entries of `-z`.
pub(super) fn parse_terminated(tokens: Tokens<'_>) -> Option<Reading<'_>> {
    status::parse_terminated(tokens, "# ", branch::porcelain, entry)
}

/// Reads `1 XY sub mode mode mode id id path`; `2` has a score before two paths, `u` one more mode and id.
fn entry(text: &str) -> Option<StatusEntry<'_>> {
    let (kind, rest) = text.split_once(' ')?;
    let (modes, objects, has_source) = match kind {
        "?" if !rest.is_empty() => {
            return Some(StatusEntry {
                change: Change::Added,
                is_directory: false,
                is_unmerged: false,
                has_source: false,
                names: rest,
            });
        }
        "1" => (3, 2, false),
        "2" => (3, 2, true),
        "u" => (4, 3, false),
        _ => return None,
    };
    let (codes, rest) = rest.split_once(' ')?;
    let [index, worktree] = *codes.as_bytes() else { return None };
    let space_for_dot = |code| if code == b'.' { b' ' } else { code };
    let (change, _) = letters::changes(space_for_dot(index), space_for_dot(worktree))?;
    let (submodule, mut rest) = rest.split_once(' ')?;
    let mut is_directory = match submodule.as_bytes() {
        [b'N', ..] => false,
        [b'S', ..] => true,
        _ => return None,
    };
    for _ in 0..modes {
        let (mode, after) = rest.split_once(' ').filter(|(mode, _)| is_mode(mode))?;
        is_directory |= is_directory_mode(mode);
        rest = after;
    }
    for _ in 0..objects {
        (_, rest) = rest.split_once(' ').filter(|(object, _)| is_object(object))?;
    }
    if has_source {
        (_, rest) = rest.split_once(' ').filter(|(score, _)| letters::change(score).is_some())?;
    }
    let is_unmerged = kind == "u";
    (!rest.is_empty()).then_some(StatusEntry { change, is_directory, is_unmerged, has_source, names: rest })
}

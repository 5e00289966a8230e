//! Git's letters for kinds of changes.

use crate::documents::evidence::Change;

/// Reads a letter with an optional score, as in `M` or `R087`; true if two names follow.
pub(super) fn change(code: &str) -> Option<(Change, bool)> {
    let (letter, score) = code.split_at_checked(1)?;
    if !score.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let change = match letter {
        "A" | "C" => Change::Added,
        "M" | "T" | "U" | "X" | "B" => Change::Modified,
        "D" => Change::Deleted,
        "R" => Change::Renamed,
        _ => return None,
    };
    Some((change, matches!(letter, "R" | "C")))
}

/// Reads the two letters of a status, for index and worktree, with a space for no change; true if two names follow.
pub(super) fn changes(index: u8, worktree: u8) -> Option<(Change, bool)> {
    let is_letter = |letter: u8| b" MTADRCU".contains(&letter);
    let change = match (index, worktree) {
        (b' ', b' ') => return None,
        _ if !is_letter(index) || !is_letter(worktree) => return None,
        (b'R', _) | (_, b'R') => Change::Renamed,
        // An unresolved conflict.
        (b'U', _) | (_, b'U') => Change::Modified,
        (_, b'D') | (b'D', _) => Change::Deleted,
        (b'A' | b'C', _) | (_, b'A' | b'C') => Change::Added,
        _ => Change::Modified,
    };
    Some((change, [index, worktree].iter().any(|letter| matches!(letter, b'R' | b'C'))))
}

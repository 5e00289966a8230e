//! `git status` without options: sections of indented names between sentences. Any other sentence makes the text opaque, other
//! languages included.

use alloc::{borrow::Cow, vec::Vec};

use super::{
    FileLine, Reading,
    names::{one_name, two_names},
};
use crate::documents::evidence::Change;

/// Sentences about the branch, without information on changes. `*` stands for a word.
const BRANCH: [&str; 15] = [
    "On branch *",
    "HEAD detached at *",
    "HEAD detached from *",
    "Not currently on any branch.",
    "No commits yet",
    "Initial commit",
    "Your branch is up to date with *.",
    "Your branch is up-to-date with *.",
    "Your branch is behind * by * commit, and can be fast-forwarded.",
    "Your branch is behind * by * commits, and can be fast-forwarded.",
    "Your branch is based on *, but the upstream is gone.",
    "Your stash currently has * entry",
    "Your stash currently has * entries",
    "You are in a sparse checkout.",
    "You are in a sparse checkout with * of tracked files present.",
];
/// Sentences of a tree that is ahead of its upstream, diverged from it, or in the middle of an operation. If such a tree is clean,
/// commits may still hold changes.
const MAY_HIDE_CHANGES: [&str; 14] = [
    "Your branch is ahead of ",
    "Your branch and ",
    "and have ",
    "You have unmerged paths.",
    "All conflicts fixed but you are still merging.",
    "You are in the middle of an am session.",
    "The current patch is empty.",
    "You are currently ",
    "rebase in progress; onto ",
    "interactive rebase in progress; onto ",
    "Cherry-pick currently in progress.",
    "Revert currently in progress.",
    "No commands ",
    TODO_REMAINS,
];
/// The beginnings of the command lists of a rebase.
const TODO_DONE: &str = "Last command";
const TODO_REMAINS: &str = "Next command";
/// Sentences after the sections. `*` stands for a word.
const ENDINGS: [&str; 7] = [
    "no changes added to commit",
    "no changes added to commit (use \"git add\" and/or \"git commit -a\")",
    "nothing added to commit but untracked files present",
    "nothing added to commit but untracked files present (use \"git add\" to track)",
    "It took * seconds to enumerate untracked files,",
    "but the results were cached, and subsequent runs may be faster.",
    "See 'git help status' for information on how to improve this.",
];
/// The beginnings of hints.
const HINTS: [&str; 8] = [
    "  (use \"git ",
    "  (commit or discard the untracked or modified content in submodules)",
    "  (fix conflicts ",
    "  (all conflicts fixed",
    "  (see more commands in file ",
    "  (run \"git ",
    "  (Once your working directory is clean",
    "  (no commands remaining.)",
];
const CLEAN: &str = "nothing to commit, working tree clean";
/// Git prints these if it did not look for untracked files, or before the first commit.
const NOTHING: [&str; 3] = [
    "nothing to commit",
    "nothing to commit (use -u to show untracked files)",
    "nothing to commit (create/copy files and use \"git add\" to track)",
];

/// The kind of the entries of a section.
#[derive(Clone, Copy)]
enum Section {
    Changes,
    Unmerged,
    Untracked,
}

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    let mut files = Vec::new();
    let mut section = None;
    let (mut may_hide_changes, mut lists_commands) = (false, false);
    let (mut is_clean, mut says_unchanged) = (false, false);
    for line in text.lines().filter(|line| !line.trim_matches(' ').is_empty()) {
        let begins = |sentences: &[&str]| sentences.iter().any(|words| line.starts_with(words));
        if let Some(entry) = line.strip_prefix('\t') {
            files.push(file(section?, entry)?);
        } else if begins(&HINTS) && line.ends_with(')') || lists_commands && line.starts_with("   ") {
            // A hint, or a command of a rebase.
        } else if let Some(heading) = heading(line) {
            section = Some(heading);
        } else if begins(&MAY_HIDE_CHANGES) || begins(&[TODO_DONE]) {
            may_hide_changes = true;
            lists_commands = begins(&[TODO_DONE, TODO_REMAINS]);
        } else if line == CLEAN {
            is_clean = true;
        } else if NOTHING.contains(&line) {
            says_unchanged = true;
        } else if !BRANCH.iter().chain(&ENDINGS).any(|sentence| is_sentence(line, sentence)) {
            // Also where untracked files are not listed.
            return None;
        }
    }
    match (files.is_empty(), is_clean, says_unchanged) {
        (false, false, false) => Some(Reading::Files(files)),
        (true, true, false) => Some(Reading::status(files, may_hide_changes)),
        (true, false, true) if !may_hide_changes => {
            Some(Reading::Opaque { count: None, says_unchanged: true })
        }
        _ => None,
    }
}

/// Returns true if a line is a sentence of git; `*` stands for a word.
fn is_sentence(line: &str, sentence: &str) -> bool {
    let (mut words, mut expected) = (line.split(' '), sentence.split(' '));
    let is_word = |word: &str, expected: &str| match expected.split_once('*') {
        Some((start, end)) => {
            word.len() > start.len() + end.len() && word.starts_with(start) && word.ends_with(end)
        }
        None => word == expected,
    };
    loop {
        match (words.next(), expected.next()) {
            (None, None) => return true,
            (Some(word), Some(expected)) if is_word(word, expected) => {}
            _ => return false,
        }
    }
}

fn heading(line: &str) -> Option<Section> {
    Some(match line {
        "Changes to be committed:" | "Changes not staged for commit:" => Section::Changes,
        "Unmerged paths:" => Section::Unmerged,
        "Untracked files:" => Section::Untracked,
        _ => return None,
    })
}

fn file(section: Section, entry: &str) -> Option<FileLine<'_>> {
    match section {
        // With `column.status`, a line may have several names.
        Section::Untracked if !entry.starts_with('"') && entry.contains(' ') => None,
        Section::Untracked => Some(FileLine::new(one_name(entry)?, Some(Change::Added))),
        Section::Changes => {
            let (label, names) = entry.split_at_checked(12)?;
            let (change, has_source) = match label.trim_end() {
                "new file:" => (Change::Added, false),
                "copied:" => (Change::Added, true),
                "modified:" | "typechange:" | "unknown:" | "unmerged:" => (Change::Modified, false),
                "deleted:" => (Change::Deleted, false),
                "renamed:" => (Change::Renamed, true),
                _ => return None,
            };
            changed(names, change, has_source)
        }
        Section::Unmerged => {
            let (label, name) = entry.split_at_checked(17)?;
            let change = match label.trim_end() {
                "both added:" => Change::Added,
                "both deleted:" => Change::Deleted,
                "both modified:" | "added by us:" | "added by them:" | "deleted by us:"
                | "deleted by them:" => Change::Modified,
                _ => return None,
            };
            changed(name, change, false)
        }
    }
}

/// The names of an entry, without git's remark on a submodule.
fn changed(names: &str, change: Change, has_source: bool) -> Option<FileLine<'_>> {
    let read = |names| {
        Some(match has_source {
            true => {
                let (from, path) = two_names(names, " -> ")?;
                FileLine::pair(from, path, change)
            }
            false => FileLine::new(one_name(names)?, Some(change)),
        })
    };
    let Some(submodule) = without_remark(names) else { return read(names) };
    let submodule = FileLine { is_directory: true, ..read(submodule)? };
    // Without quotes, the remark may be part of the name.
    let whole = read(names).map(|file| file.path).filter(|whole| matches!(whole, Cow::Borrowed(_)));
    Some(FileLine { whole, ..submodule })
}

/// The names before ` (new commits, modified content, untracked content)`.
fn without_remark(names: &str) -> Option<&str> {
    let (names, remark) = names.strip_suffix(')')?.rsplit_once(" (")?;
    let is_remark = remark
        .split(", ")
        .all(|part| matches!(part, "new commits" | "modified content" | "untracked content"));
    is_remark.then_some(names)
}

//! Commands of a transcript, and the validators that they run.

use std::path::{Path, PathBuf};

use adjudicate_core::json::OwnedValue;
use adjudicate_evidence::collect::quote;

use crate::hooks::place::plain;

/// The fields of a tool with its command.
const FIELDS: [&str; 2] = ["command", "cmd"];

/// The fields of a tool with the folder of its command.
const FOLDERS: [&str; 3] = ["workdir", "cwd", "working_directory"];

/// Characters with a meaning for the shell, in a command that is more than a chain of plain words.
const SPECIAL: [char; 15] = [';', '|', '&', '(', ')', '<', '>', '`', '$', '"', '\'', '\\', '#', '!', '{'];

/// The part of a validator in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// The exit code is that of the validator.
    Whole,
    /// The command is a chain, whose exit code is 0 only if the validator's is.
    Link,
    /// The validator ran, or did not. The exit code does not say it.
    Hidden,
}

/// Returns the command of a call as a line of a shell.
pub(super) fn line(input: &OwnedValue) -> Option<String> {
    match FIELDS.into_iter().find_map(|field| input.lookup(field))? {
        OwnedValue::Text(line) => Some(line.clone()),
        OwnedValue::List(words) => {
            let words: Vec<_> = words.iter().filter_map(OwnedValue::as_str).collect();
            Some(match words[..] {
                [_, "-c" | "-lc", line] => line.to_owned(),
                _ => words.into_iter().map(quote).collect::<Vec<_>>().join(" "),
            })
        }
        _ => None,
    }
}

/// Returns the folder in which a command starts.
pub(super) fn folder(input: &OwnedValue, current: &Path) -> PathBuf {
    let named = FOLDERS.into_iter().find_map(|field| input.lookup(field)?.as_str());
    plain(&current.join(named.unwrap_or_default()))
}

/// Returns the part of a validator in a command. `start` is the folder in which the command starts, and `expected` that of the validator.
pub(super) fn share(command: &str, start: &Path, validator: &str, expected: &Path) -> Option<Share> {
    let (command, wanted) = (normalized(command), normalized(validator));
    let here = |folder: &Path| folder == plain(expected);
    if command == wanted {
        return here(start).then_some(Share::Whole);
    }
    let links: Vec<_> = command.split("&&").map(str::trim).collect();
    let Some(at) = links.iter().position(|link| *link == wanted) else {
        let mut pieces = command.split(SPECIAL).map(str::trim);
        return pieces.any(|piece| piece == wanted).then_some(Share::Hidden);
    };
    let mut others = links.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, link)| link);
    if others.clone().any(|link| link.contains(SPECIAL)) {
        return Some(Share::Hidden);
    }
    let changes = links.iter().take(at).filter_map(|link| link.strip_prefix("cd "));
    let folder = changes.fold(start.to_owned(), |folder, change| plain(&folder.join(change.trim())));
    let is_alone = at + 1 == links.len() && others.all(|link| link.starts_with("cd "));
    here(&folder).then_some(if is_alone { Share::Whole } else { Share::Link })
}

/// Returns a command with single spaces, and without a redirection that changes no exit code.
fn normalized(command: &str) -> String {
    let line = command.trim().replace('\n', " ; ");
    let words: Vec<_> = line.split_whitespace().collect();
    let words = words.strip_suffix(&["2>&1"]).unwrap_or(&words);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_ends_as_the_validator_ends_gives_its_exit_code() {
        for (command, share) in [
            ("npm test", Some(Share::Whole)),
            ("  npm   test 2>&1 ", Some(Share::Whole)),
            ("cd /app && npm test", Some(Share::Whole)),
            ("cd /app/src && cd .. && npm test", Some(Share::Whole)),
            ("npm run build && npm test", Some(Share::Link)),
            ("npm test && npm run build", Some(Share::Link)),
            ("npm test | tail -5", Some(Share::Hidden)),
            ("npm test || true", Some(Share::Hidden)),
            ("npm test; true", Some(Share::Hidden)),
            ("echo a\nnpm test", Some(Share::Hidden)),
            ("echo \"a && npm test && b\"", Some(Share::Hidden)),
            ("cd /other && npm test", None),
            ("npm test -- --grep one", None),
            ("npm tests", None),
        ] {
            assert_eq!(
                super::share(command, Path::new("/app"), "npm test", Path::new("/app")),
                share,
                "{command}"
            );
        }
    }
}

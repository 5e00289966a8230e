//! Commands of a transcript, and the validators that they run.

use std::path::{Path, PathBuf};

use adjudicate_core::json::OwnedValue;
use adjudicate_evidence::collect::quote;

use crate::hooks::{place::plain, resolved};

/// Tools that run a command.
const TOOLS: [&str; 7] =
    ["Bash", "PowerShell", "shell", "local_shell", "shell_command", "exec_command", "container.exec"];

/// The fields of such a tool with its command, and with the folder of the command.
const COMMANDS: [&str; 2] = ["command", "cmd"];
const FOLDERS: [&str; 3] = ["workdir", "cwd", "working_directory"];

/// Characters with a meaning for the shell, in a command that is more than a chain of plain words.
const SPECIAL: [char; 15] = [';', '|', '&', '(', ')', '<', '>', '`', '$', '"', '\'', '\\', '#', '!', '{'];

/// Words after which the next command may run elsewhere, or not at all.
const CHANGING: [&str; 8] = ["pushd", "popd", "exit", "exec", "eval", "source", ".", "return"];

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

impl Share {
    /// Returns the exit code of the validator in a command with this exit code.
    pub(super) fn exit_code(self, of_command: Option<i64>) -> Option<i64> {
        match self {
            Self::Whole => of_command,
            Self::Link => of_command.filter(|code| *code == 0),
            Self::Hidden => None,
        }
    }
}

/// Returns true for a tool that runs a command.
pub(super) fn is_run_by(tool: &str) -> bool {
    TOOLS.contains(&tool)
}

/// Returns the command of a call as a line of a shell.
pub(super) fn line(tool: &str, input: &OwnedValue) -> Option<String> {
    if !is_run_by(tool) {
        return None;
    }
    match COMMANDS.into_iter().find_map(|field| input.lookup(field))? {
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

/// Returns the folder in which a command starts, which may be a URI.
pub(super) fn folder(input: &OwnedValue, current: &Path) -> PathBuf {
    let named = FOLDERS.into_iter().find_map(|field| input.lookup(field)?.as_str()).unwrap_or_default();
    plain(&current.join(named.strip_prefix("file://").unwrap_or(named)))
}

/// Returns the part of a validator in a command. `start` is the folder in which the command starts, and `expected` that of the validator.
pub(super) fn share(command: &str, start: &Path, validator: &str, expected: &Path) -> Option<Share> {
    let (command, wanted) = (normalized(command), normalized(validator));
    let here = |folder: &Path| resolved(folder) == resolved(expected);
    if command == wanted {
        return here(start).then_some(Share::Whole);
    }
    let links: Vec<_> = command.split("&&").map(str::trim).collect();
    let Some(at) = links.iter().position(|link| *link == wanted) else {
        let mut pieces = command.split(SPECIAL).map(str::trim);
        return pieces.any(|piece| piece == wanted).then_some(Share::Hidden);
    };
    let mut others = links.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, link)| link);
    let is_plain = |link: &&str| {
        let word = link.split(' ').next().unwrap_or_default();
        *link != "cd" && !CHANGING.contains(&word) && !link.contains(SPECIAL)
    };
    if !others.clone().all(is_plain) {
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
            ("pushd lib && npm test", Some(Share::Hidden)),
            ("exit 0 && npm test", Some(Share::Hidden)),
            ("cd && npm test", Some(Share::Hidden)),
            ("cd $APP && npm test", Some(Share::Hidden)),
            ("bash -c 'npm test'", Some(Share::Hidden)),
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

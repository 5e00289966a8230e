//! The files of a patch in the form of Codex, also in a command of a shell.

use std::path::{Path, PathBuf};

use adjudicate_core::{Error, codes, evaluate::Change, owned::DiffFile};

/// The lines of a patch that name a file, each with the change.
const LINES: [(&str, Change); 4] = [
    ("*** Add File: ", Change::Added),
    ("*** Update File: ", Change::Modified),
    ("*** Delete File: ", Change::Deleted),
    ("*** Move to: ", Change::Added),
];

/// The beginning of a patch.
const BEGIN: &str = "*** Begin Patch";

/// Characters of a word that stands for another text, which only the shell knows.
const EXPANDED: [char; 7] = ['$', '`', '~', '*', '?', '\\', '['];

/// The most bytes of the paths of a patch, each counted from each folder.
const MAX_BYTES: usize = 1 << 20;

/// Returns true if a text has a patch.
pub(super) fn is_in(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Returns the files of a patch. In a command, a path counts from each of the folders, and from those into which the command changes.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] if only the shell knows the folder; [`codes::LIMIT_EXCEEDED`] for too many folders and files.
pub(super) fn files(text: &str, folders: &[&Path]) -> Result<Vec<DiffFile>, Error> {
    let command = text.split_once(BEGIN).map_or("", |(command, _)| command);
    let changes = changes(command)?;
    let named: Vec<_> = text.lines().filter_map(named).collect();
    let name_bytes: usize = named.iter().map(|(path, _)| path.len() + 1).sum();
    // Each folder stands before each path.
    let mut room = MAX_BYTES;
    let mut all = Vec::new();
    for folder in folders {
        let mut folder = folder.to_path_buf();
        let mut changes = changes.iter();
        loop {
            let bytes = folder.as_os_str().len().saturating_mul(named.len()).saturating_add(name_bytes);
            room = room.checked_sub(bytes).ok_or_else(|| {
                let message = format!("the paths of the patch have more than {MAX_BYTES} bytes: use fewer files, or fewer folders");
                Error::new(codes::LIMIT_EXCEEDED, message).at("/tool_input")
            })?;
            all.push(folder.clone());
            let Some(change) = changes.next() else { break };
            folder.push(change);
        }
    }
    let files = named.into_iter().flat_map(|(path, change)| {
        all.iter().map(move |folder| DiffFile::new(folder.join(path).to_string_lossy(), change))
    });
    Ok(files.collect())
}

/// Returns the path in a line of a patch, if it names a file.
fn named(line: &str) -> Option<(&str, Change)> {
    let line = line.trim();
    LINES.iter().find_map(|(prefix, change)| Some((line.strip_prefix(prefix)?.trim(), *change)))
}

/// Returns the folders into which a command changes, one after the other.
fn changes(command: &str) -> Result<Vec<PathBuf>, Error> {
    let mut changes = Vec::new();
    for part in command.split([';', '&', '|', '(', ')', '\n']) {
        let mut words = part.split_whitespace();
        let Some(word) = words.find(|word| matches!(word.trim_matches(['"', '\'']), "cd" | "pushd")) else {
            continue;
        };
        let target = words.find(|word| !matches!(*word, "--" | "-L" | "-P")).unwrap_or("-");
        let name = target.trim_matches(['"', '\'']);
        let is_cut = target.starts_with(['"', '\'']) && !target.ends_with(['"', '\'']);
        if is_cut || name.is_empty() || name == "-" || name.contains(EXPANDED) {
            let message = format!(
                "the folder of the patch is unknown: write `{word}` with a plain path, or use absolute paths"
            );
            return Err(Error::new(codes::INVALID_VALUE, message).at("/tool_input"));
        }
        changes.push(name.into());
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_that_multiply_are_refused() {
        let patch = |folders: usize, files: usize| {
            let text = format!("{}{BEGIN}\n{}", "cd a; ".repeat(folders), "*** Add File: x\n".repeat(files));
            super::files(&text, &[Path::new("/w")]).map(|files| files.len()).map_err(|error| error.code())
        };
        assert_eq!(patch(3, 50), Ok(200));
        assert_eq!(patch(2500, 2500), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(patch(150, 150), Err(codes::LIMIT_EXCEEDED));
    }
}

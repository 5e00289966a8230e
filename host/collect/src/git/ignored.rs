//! Ignored files: those that the base ignores are not part of the diff, and others are.

use std::{collections::BTreeSet, path::Path};

use super::command::Git;
use crate::{state::is_own, system::System};

/// The most files that are listed one by one although a rule ignores them.
const MAX_HIDDEN_FILES: usize = 1_000;

/// A status without ignored files.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The entries. Files that the base does not ignore are untracked.
    pub entries: Vec<u8>,
    /// The folders that the base ignores, with `/` at the end.
    pub ignored: BTreeSet<Vec<u8>>,
}

/// Sorts the ignored files of a status.
pub(super) async fn sort(system: &System, root: &Path, base: &str, status: &[u8]) -> Result<Status, String> {
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    let mut entries = status.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        match entry {
            [] => {}
            [b'!', b' ', name @ ..] if is_own(name) => {}
            [b'!', b' ', name @ ..] => ignored.push(name),
            // The old name of a renamed file is an entry of its own.
            [b'2', b' ', ..] => {
                found.extend([entry, &[0], entries.next().unwrap_or_default(), &[0]].concat())
            }
            _ => found.extend([entry, &[0]].concat()),
        }
    }
    let hidden = not_ignored_by(system, root, base, &ignored).await?;
    let is_kept = |name: &&[u8]| name.ends_with(b"/") && !hidden.contains(name);
    let kept = ignored.iter().copied().filter(is_kept).map(<[u8]>::to_vec).collect();
    let (folders, files): (Vec<&[u8]>, Vec<&[u8]>) =
        hidden.into_iter().partition(|name| name.ends_with(b"/"));
    let mut names: Vec<Vec<u8>> = files.into_iter().map(<[u8]>::to_vec).collect();
    for folder in folders {
        let listed = format!(":(top,literal){}", String::from_utf8_lossy(folder));
        let within = Git::new(system, root).call(&["ls-files", "--others", "-z", "--", &listed]).await?;
        let within: Vec<_> = within.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        // The policy can tell for each file. Of many files, for example packages, only the folder is listed.
        if within.is_empty() || within.len() + names.len() > MAX_HIDDEN_FILES {
            names.push(folder.to_vec());
        } else {
            names.extend(within.into_iter().map(<[u8]>::to_vec));
        }
    }
    for name in names {
        found.extend([b"? ", &*name, &[0]].concat());
    }
    Ok(Status { entries: found, ignored: kept })
}

/// Returns the names that the rules of the base do not ignore. These are asked for in an empty folder with the `.gitignore` of the base
/// only, and with the rules of the user and of the repository.
async fn not_ignored_by<'a>(
    system: &System,
    root: &Path,
    base: &str,
    names: &[&'a [u8]],
) -> Result<Vec<&'a [u8]>, String> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let place = system.temporary_folder().await?;
    let git = Git::new(system, root);
    let tree = git.call(&["ls-tree", "-r", "-z", "--full-tree", base]).await?;
    for entry in tree.split(|byte| *byte == 0) {
        // `100644 blob ID<TAB>NAME`: git follows no links to rules.
        let Some((about, name)) = str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\t')) else {
            continue;
        };
        let Some((_, id)) = about.split_once(" blob ").filter(|(mode, _)| mode.starts_with("100")) else {
            continue;
        };
        if name.rsplit('/').next() == Some(".gitignore") {
            let rules = git.call(&["cat-file", "blob", id]).await?;
            let file = place.join(name);
            let written = match system.create_folder(file.parent().unwrap_or(&place)).await {
                Ok(()) => system.write(&file, rules).await,
                Err(error) => Err(error),
            };
            written.map_err(|error| format!("the rules of the base cannot be written: {error}"))?;
        }
    }
    let repository = format!("--git-dir={}", git.line(&["rev-parse", "--absolute-git-dir"]).await?);
    let tree = format!("--work-tree={}", place.display());
    // A name that begins with `:` would be a pattern.
    let input = names.iter().flat_map(|name| [b"./", *name, &[0]].concat()).collect();
    let check = ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"];
    let answers = Git::new(system, &place).with([repository, tree]).call_with(&check, input).await?;
    let fields: Vec<_> = answers.split(|byte| *byte == 0).collect();
    let rules = fields.as_chunks().0.iter().map(|[file, _, rule, _]: &[&[u8]; 4]| (*file, *rule));
    let is_ignored = rules.map(|(file, rule)| !file.is_empty() && !rule.starts_with(b"!"));
    let is_ignored: Vec<bool> = is_ignored.collect();
    if is_ignored.len() != names.len() {
        return Err("git did not answer for each ignored file".into());
    }
    Ok(names.iter().zip(is_ignored).filter(|(_, is_ignored)| !is_ignored).map(|(name, _)| *name).collect())
}

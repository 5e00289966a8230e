//! Finds files that git never lists: pipes and their like, and everything in a folder with the name `.git`.

use std::{collections::BTreeSet, path::Path};

use super::{
    ignored::Status,
    index::{Index, listed},
};
use crate::system::{System, SystemFileKind, bytes};

/// Returns why git does not see files below the root.
///
/// # Errors
///
/// The name of a folder that cannot be read.
pub(super) async fn unseen(
    system: &System,
    root: &Path,
    index: &Index,
    status: &Status,
) -> Result<Option<String>, String> {
    // Git compares a submodule, and lists a repository within as a folder.
    let entries = status.entries.split(|byte| *byte == 0);
    let repositories =
        entries.filter_map(|entry| entry.strip_prefix(b"? ")).filter(|name| name.ends_with(b"/"));
    let repositories =
        repositories.map(<[u8]>::to_vec).chain(index.submodules().map(|name| [name, b"/"].concat()));
    let skipped: BTreeSet<Vec<u8>> = repositories.chain(status.ignored.iter().cloned()).collect();
    let mut found = Vec::new();
    let mut folders = vec![Vec::new()];
    while let Some(folder) = folders.pop() {
        let path = [&bytes(root)[..], b"/", &folder].concat();
        let entries = system.folder(path).await;
        let failed = |error| format!("the folder `{}` cannot be read: {error}", folder.escape_ascii());
        for entry in entries.map_err(failed)? {
            let place = || [&folder[..], &entry.name].concat();
            if entry.name == b".git" {
                found.extend((!folder.is_empty()).then(place));
            } else if entry.kind == SystemFileKind::Folder {
                let place = [&place()[..], b"/"].concat();
                if !skipped.contains(&place) {
                    folders.push(place);
                }
            } else if entry.kind == SystemFileKind::Other {
                found.push(place());
            }
        }
    }
    found.sort_unstable();
    Ok(listed(&found, "are pipes, devices or sockets, or named `.git` in a folder that is no repository"))
}

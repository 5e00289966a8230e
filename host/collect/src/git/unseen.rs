//! Finds files that git never lists: pipes and their like, and everything in a folder with the name `.git`.

use std::{collections::BTreeSet, ffi::OsStr, fs, path::Path};

use super::{command::Git, ignored::Status, names::listed};

/// Returns why git does not see files below the root.
///
/// # Errors
///
/// The name of a folder that cannot be read.
pub(super) fn unseen(root: &Path, status: &Status) -> Result<Option<String>, String> {
    let index = Git::new(root).call(&["ls-files", "--stage", "-z"])?;
    let links = index.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 "));
    let links = links.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
    // Git compares a submodule, and lists a repository within as a folder.
    let entries = status.entries.split(|byte| *byte == 0);
    let repositories =
        entries.filter_map(|entry| entry.strip_prefix(b"? ")).filter(|name| name.ends_with(b"/"));
    let repositories = repositories.map(<[u8]>::to_vec).chain(links.map(|name| [name, b"/"].concat()));
    let skipped: BTreeSet<Vec<u8>> = repositories.chain(status.ignored.iter().cloned()).collect();
    let mut found = Vec::new();
    let mut folders = vec![Vec::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(name(&folder));
        let failed = |error| format!("the folder `{}` cannot be read: {error}", folder.escape_ascii());
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let own_name = entry.file_name();
            let mut place = [&folder, own_name.as_encoded_bytes()].concat();
            if own_name == ".git" {
                found.extend((!folder.is_empty()).then_some(place));
            } else if kind.is_dir() {
                place.push(b'/');
                if !skipped.contains(&place) {
                    folders.push(place);
                }
            } else if !kind.is_file() && !kind.is_symlink() {
                found.push(place);
            }
        }
    }
    found.sort_unstable();
    let found = found.iter().map(Vec::as_slice).collect();
    Ok(listed(found, "are pipes, devices or sockets, or named `.git` in a folder that is no repository"))
}

/// Returns the name of bytes that came from the names of files.
#[cfg(unix)]
fn name(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[cfg(not(unix))]
fn name(bytes: &[u8]) -> &OsStr {
    OsStr::new(str::from_utf8(bytes).unwrap_or_default())
}

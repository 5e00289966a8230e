//! The index: the files that git takes for unchanged, and those that it converts before it compares them. A conversion can hide a change.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    STATUS,
    command::{Git, line},
};
use crate::system::{System, bytes};

/// The entries of an index, as git lists them: `H 100644 ID STAGE<TAB>NAME`, each with a letter for its mark.
pub(super) struct Index(Vec<u8>);

const LIST: [&str; 4] = ["ls-files", "--stage", "-v", "-z"];

/// An entry of an index.
#[derive(Clone, Copy)]
struct IndexEntry<'a> {
    mark: u8,
    /// The entry without its mark.
    stage: &'a [u8],
    name: &'a [u8],
}

impl Index {
    /// Reads the index of a repository, and answers another question about it at once.
    pub(super) async fn read_and(
        git: &Git<'_>,
        question: &[&str],
    ) -> (Result<Self, String>, Result<String, String>) {
        let [index, answer] = git.call_both(&LIST, question).await;
        (index.map(Self), answer.map(|answer| line(&answer)))
    }

    fn entries(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        // The parts before the names have the same length in all entries.
        let tab = self.0.iter().position(|byte| *byte == b'\t').unwrap_or_default();
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let length = tab + rest.get(tab..)?.iter().position(|byte| *byte == 0)?;
            let (entry, after) = rest.split_at_checked(length)?;
            rest = after.get(1..)?;
            let [mark, b' ', stage @ ..] = entry else { return None };
            Some(IndexEntry { mark: *mark, stage, name: entry.get(tab + 1..)? })
        })
    }

    /// The names of submodules.
    pub(super) fn submodules(&self) -> impl Iterator<Item = &[u8]> {
        self.entries().filter(IndexEntry::is_submodule).map(|entry| entry.name)
    }

    /// Writes the index without the times and sizes of files, so that git reads every file. An agent can set a file to the time and size
    /// that the index has.
    ///
    /// Marks of files are left out, except those of files that a sparse checkout leaves out.
    pub(super) async fn write_fresh(
        &self,
        system: &System,
        root: &Path,
        place: &Path,
    ) -> Result<PathBuf, String> {
        let path = place.join("index");
        let git = Git::new(system, root).with_index(path.clone());
        let sparse = ["config", "--type=bool", "--get", "core.sparseCheckout"];
        let is_sparse = self.entries().any(|entry| entry.mark == b'S') && git.line(&sparse).await? == "true";
        let (mut stages, mut absent) = (Vec::with_capacity(self.0.len()), Vec::new());
        for entry in self.entries() {
            stages.extend_from_slice(entry.stage);
            stages.push(0);
            if is_sparse && entry.mark == b'S' && !exists(system, root, entry.name).await {
                absent.extend([entry.name, &[0]].concat());
            }
        }
        git.call_with(&["update-index", "-z", "--index-info"], stages).await?;
        if !absent.is_empty() {
            git.call_with(&["update-index", "-z", "--skip-worktree", "--stdin"], absent).await?;
        }
        Ok(path)
    }

    /// Returns the status by a fresh index, and writes the times and sizes of files into that index.
    pub(super) async fn first_status(&self, git: &Git<'_>) -> Result<Vec<u8>, String> {
        // Git reads every file here, and would first look at the times of each in vain.
        let git = git.clone().with(["-c".into(), "core.preloadIndex=false".into()]);
        if self.submodules().next().is_none() {
            return git.with_locks().call(&STATUS).await;
        }
        // A status may also write the indexes of submodules.
        git.call(&["update-index", "-q", "--refresh"]).await?;
        git.call(&STATUS).await
    }

    /// Returns why git does not look for changes of tracked files: they are marked assume-unchanged or skip-worktree, git converts them, or
    /// their submodule has no repository of its own.
    pub(super) async fn unwatched(
        &self,
        system: &System,
        root: &Path,
        git: &Git<'_>,
    ) -> Result<Vec<String>, String> {
        let mut unwatched = Unwatched::default();
        unwatched.search(system, root, &[], self, git).await?;
        let marked = listed(&unwatched.marked, "are marked assume-unchanged or skip-worktree");
        let hollow =
            listed(&unwatched.hollow, "are submodules with files and without a repository of their own");
        let converted = listed(
            &unwatched.converted,
            "are converted by a filter, `ident` or `working-tree-encoding` before git compares them",
        );
        Ok([marked, hollow, converted].into_iter().flatten().collect())
    }
}

impl IndexEntry<'_> {
    fn is_submodule(&self) -> bool {
        self.stage.starts_with(b"160000 ")
    }
}

/// The names of files that git does not look at.
#[derive(Default)]
struct Unwatched {
    marked: Vec<Vec<u8>>,
    /// Submodules that have files but no repository of their own. Git takes them for absent.
    hollow: Vec<Vec<u8>>,
    converted: Vec<Vec<u8>>,
}

impl Unwatched {
    /// Searches an index, and those of its submodules. `folder` is empty, or ends with `/`.
    async fn search(
        &mut self,
        system: &System,
        root: &Path,
        folder: &[u8],
        index: &Index,
        git: &Git<'_>,
    ) -> Result<(), String> {
        let converted = converted(git).await?;
        self.converted.extend(converted.into_iter().map(|name| [folder, &name].concat()));
        for entry in index.entries() {
            let name = || [folder, entry.name].concat();
            match entry.mark {
                // A sparse checkout marks files that it leaves out.
                b'S' if exists(system, root, &name()).await => self.marked.push(name()),
                b'a'..=b'z' => self.marked.push(name()),
                _ => {}
            }
            if !entry.is_submodule() {
                continue;
            }
            let path = root.join(&*String::from_utf8_lossy(&name()));
            let has_files = match system.folder(bytes(&path)).await {
                Ok(entries) => !entries.is_empty(),
                Err(error) => error.kind() != io::ErrorKind::NotFound,
            };
            if !has_files {
                continue;
            }
            let git = Git::new(system, &path);
            let above = git.line(&["rev-parse", "--show-cdup"]).await;
            if above.is_ok_and(|above| above.is_empty()) {
                let within = Index(git.call(&LIST).await?);
                Box::pin(self.search(system, root, &[&*name(), b"/"].concat(), &within, &git)).await?;
            } else {
                self.hollow.push(name());
            }
        }
        Ok(())
    }
}

/// Returns true unless it is known that a file does not exist.
async fn exists(system: &System, root: &Path, name: &[u8]) -> bool {
    let Ok(name) = str::from_utf8(name) else { return true };
    let found = system.about(&root.join(name), false).await;
    !matches!(found, Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// The most paths that a reason lists.
const MAX_LISTED_PATHS: usize = 5;

/// Returns a sentence about names: the first of them, and their number; `None` without names.
pub(super) fn listed(names: &[Vec<u8>], reason: &str) -> Option<String> {
    let first = names.iter().take(MAX_LISTED_PATHS).map(|name| format!("`{}`", name.escape_ascii()));
    let first: Vec<_> = first.collect();
    (!names.is_empty()).then(|| format!("{}, {} in all, {reason}", first.join(", "), names.len()))
}

/// Leaves out files without an attribute of a conversion.
const WITHOUT: &str = ":(exclude,attr:!filter !ident !working-tree-encoding)";

/// The drivers of filters, and extensions that run within git-lfs.
const DRIVERS: &str = r"^(filter\..*\.(clean|process)|lfs\.extension\..*\.clean)$";

/// The commands of git-lfs. They replace a content by its digest, so they hide no change.
const LFS: [&[u8]; 3] = [b"git-lfs clean -- %f", b"git-lfs filter-process", b"git-lfs filter-process --skip"];

/// Returns the files of an index that git converts by a filter other than git-lfs, by `ident` or by `working-tree-encoding`. The
/// attributes of line ends hide no more than line ends.
pub(super) async fn converted(git: &Git<'_>) -> Result<Vec<Vec<u8>>, String> {
    let names = git.call(&["ls-files", "-z", "--", ":(top)", WITHOUT]).await?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let drivers = git.call(&["config", "-z", "--get-regexp", DRIVERS]).await?;
    let drivers = drivers_but_lfs(&drivers);
    let check = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
    let answers = git.call_with(&check, names).await?;
    let fields: Vec<_> = answers.split(|byte| *byte == 0).collect();
    let is_converted = |attribute: &[u8], value: &[u8]| match attribute {
        b"filter" => drivers.contains(&value),
        b"ident" => value == b"set",
        _ => !matches!(value, b"unspecified" | b"unset"),
    };
    let answers = fields.as_chunks().0.iter();
    let found = answers.filter(|[_, attribute, value]: &&[&[u8]; 3]| is_converted(attribute, value));
    let mut names: Vec<_> = found.map(|[name, ..]| name.to_vec()).collect();
    names.dedup();
    Ok(names)
}

/// Returns the names of the drivers from `filter.NAME.clean<LF>COMMAND<NUL>` for each.
fn drivers_but_lfs(settings: &[u8]) -> Vec<&[u8]> {
    let has_extensions = settings.starts_with(b"lfs.extension.")
        || settings.windows(15).any(|text| text == b"\0lfs.extension.");
    let settings = settings.split(|byte| *byte == 0);
    let others = settings.filter_map(|setting| {
        let end = setting.iter().position(|byte| *byte == b'\n').unwrap_or(setting.len());
        let (key, command) = setting.split_at(end);
        let name = key.strip_prefix(b"filter.")?;
        let name = name.strip_suffix(b".clean").or_else(|| name.strip_suffix(b".process"))?;
        let is_lfs = LFS.contains(&command.get(1..).unwrap_or_default()) && !has_extensions;
        (!is_lfs).then_some(name)
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use super::drivers_but_lfs;

    #[test]
    fn only_the_commands_of_git_lfs_hide_nothing() {
        let lfs = "filter.lfs.clean\ngit-lfs clean -- %f\0filter.lfs.process\ngit-lfs filter-process\0";
        for (settings, expected) in [
            ("", &[][..]),
            (lfs, &[]),
            ("filter.A b.c.process\ncat\0", &["A b.c"]),
            ("filter.a.clean\0", &["a"]),
            ("filter.lfs.process\ngit-lfs filter-process --skip; cat\0", &["lfs"]),
            (&format!("{lfs}lfs.extension.case.clean\ntr A a\0"), &["lfs", "lfs"]),
            (&format!("lfs.extension.case.clean\ntr A a\0{lfs}"), &["lfs", "lfs"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|name: &&str| name.as_bytes()).collect();
            assert_eq!(drivers_but_lfs(settings.as_bytes()), expected, "{settings:?}");
        }
    }
}

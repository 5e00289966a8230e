//! Files below the root: reports that a validator wrote, and artifacts.

use std::{collections::BTreeMap, io, path::Path};

use adjudicate_core::{
    Steps,
    paths::{Glob, Path as SplitPath, Pattern},
};
use adjudicate_evidence::{collect::OwnedReportFile, decode, limits::MAX_REPORT_BYTES};

use crate::{
    state::FOLDER,
    system::{FolderEntry, System, SystemFileKind, bytes},
};

/// The most entries of folders that one search looks at.
const MAX_ENTRIES: usize = 500_000;

/// The most report files of one validator.
const MAX_FILES: usize = 1_000;

/// The most bytes of all report files of one validator.
const MAX_BYTES: usize = 64 << 20;

/// The files that match patterns: their paths below the root, and stamps that change with each write.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The reasons why the search is not complete.
    pub(crate) problems: Vec<String>,
}

/// Finds the files that match a pattern. Symbolic links are not followed, and `.git` and the folder of the state are left out.
pub(crate) async fn find(system: &System, root: &Path, patterns: &[String]) -> Found {
    let mut found = Found::default();
    for pattern in patterns {
        let mut steps = Steps::default();
        let glob = Pattern::new(pattern).ok().and_then(|pattern| Glob::compile(pattern, &mut steps).ok());
        match glob {
            Some(glob) => Search { system, root, glob, entries: 0, found: &mut found }.run(pattern).await,
            None => found.problems.push(format!("`{pattern}` is no pattern")),
        }
    }
    found
}

struct Search<'a> {
    system: &'a System,
    root: &'a Path,
    glob: Glob,
    entries: usize,
    found: &'a mut Found,
}

impl Search<'_> {
    async fn run(&mut self, pattern: &str) {
        let start = literal_folders(pattern);
        let mut folders = vec![start];
        while let Some(folder) = folders.pop() {
            let entries = match self.system.folder(bytes(&self.root.join(&folder))).await {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.found.problems.push(format!("`{folder}` cannot be listed: {error}"));
                    continue;
                }
            };
            for entry in entries {
                self.entries += 1;
                if self.entries > MAX_ENTRIES {
                    let problem = format!("`{pattern}` needs a look at more than {MAX_ENTRIES} files");
                    return self.found.problems.push(problem);
                }
                folders.extend(self.look_at(&folder, entry).await);
            }
        }
    }

    /// Keeps a file that matches. Returns the path of a folder.
    async fn look_at(&mut self, folder: &str, entry: FolderEntry) -> Option<String> {
        let place = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let Ok(name) = str::from_utf8(&entry.name) else {
            let path = place(&String::from_utf8_lossy(&entry.name));
            self.found.problems.push(format!("the name of `{path}` is not UTF-8"));
            return None;
        };
        let path = place(name);
        if entry.kind == SystemFileKind::Folder {
            return (name != ".git" && path != FOLDER).then_some(path);
        }
        let is_match = self.glob.matches(&SplitPath::split(&path), &mut Steps::default());
        if entry.kind == SystemFileKind::File && is_match.unwrap_or(false) {
            let about = self.system.about(&self.root.join(&path), false).await.ok()?;
            self.found.files.insert(path, about.stamp);
        }
        None
    }
}

/// Returns the folder that all matches of a pattern are in.
fn literal_folders(pattern: &str) -> String {
    if !pattern.trim_end_matches('/').contains('/') {
        return String::new();
    }
    let names: Vec<&str> = pattern.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let literal = names.iter().take_while(|name| **name != ".." && !name.contains(['*', '?', '{', '}']));
    let count = literal.count().min(names.len().saturating_sub(1));
    names.get(..count).unwrap_or_default().join("/")
}

/// The reports of one validator.
#[derive(Default)]
pub(crate) struct Reports {
    pub(crate) files: Vec<OwnedReportFile>,
    pub(crate) problems: Vec<String>,
}

/// Reads the files that match, and that were written since `before`.
pub(crate) async fn read(system: &System, root: &Path, patterns: &[String], before: &Found) -> Reports {
    let Found { files, problems } = find(system, root, patterns).await;
    let mut reports = Reports { problems, ..Reports::default() };
    let mut bytes = 0_usize;
    for (path, stamp) in files {
        if before.files.get(&path) == Some(&stamp) {
            reports.problems.push(format!("`{path}` is from before this run"));
            continue;
        }
        if reports.files.len() >= MAX_FILES || bytes > MAX_BYTES {
            let problem =
                format!("there are more than {MAX_FILES} report files, or more than {MAX_BYTES} bytes");
            reports.problems.push(problem);
            break;
        }
        match text(system, &root.join(&path)).await {
            Ok(text) => {
                bytes = bytes.saturating_add(text.len());
                reports.files.push(OwnedReportFile { path, text, extra: Default::default() });
            }
            Err(problem) => reports.problems.push(format!("`{path}`: {problem}")),
        }
    }
    reports
}

/// Returns the text of a report.
pub(crate) async fn text(system: &System, file: &Path) -> Result<String, String> {
    let bytes = bounded(system, file, MAX_REPORT_BYTES as u64).await?;
    decode(&bytes).map(std::borrow::Cow::into_owned).map_err(|error| error.message().to_owned())
}

/// Returns the content of a file that is not larger than a limit.
pub(crate) async fn bounded(system: &System, file: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let bytes = system.about(file, true).await.map_err(|error| error.to_string())?.bytes;
    if bytes > limit {
        return Err(format!("the file has {bytes} bytes; the limit is {limit}"));
    }
    system.read(file, limit).await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_begins_in_the_folder_of_all_matches() {
        for (pattern, expected) in [
            ("reports/unit.xml", "reports"),
            ("target/**/junit.xml", "target"),
            ("*.xml", ""),
            ("a/b/{c,d}/e", "a/b"),
            ("./a//b/*.xml", "a/b"),
            ("reports/", ""),
            ("{a/b,c}/d", ""),
            ("/unit.xml", ""),
        ] {
            assert_eq!(literal_folders(pattern), expected, "{pattern}");
        }
    }
}

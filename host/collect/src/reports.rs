//! Files below the root: reports that a validator wrote, and artifacts.

use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    path::Path,
    time::SystemTime,
};

use adjudicate_core::{
    Steps,
    paths::{Glob, Path as SplitPath, Pattern},
};
use adjudicate_evidence::{collect::OwnedReportFile, decode, limits::MAX_REPORT_BYTES};

use crate::state::FOLDER;

/// The most entries of folders that one search looks at.
const MAX_ENTRIES: usize = 500_000;

/// The most report files of one validator.
const MAX_FILES: usize = 1_000;

/// The most bytes of all report files of one validator.
const MAX_BYTES: usize = 64 << 20;

/// The files that match patterns: their paths below the root, and stamps that change with each write.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: BTreeMap<String, Stamp>,
    /// The reasons why the search is not complete.
    pub(crate) problems: Vec<String>,
}

/// The times, size and number of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    #[cfg(unix)]
    changed: (u64, i64, i64),
}

impl Stamp {
    fn new(about: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            modified: about.modified().ok(),
            bytes: about.len(),
            #[cfg(unix)]
            changed: (about.ino(), about.ctime(), about.ctime_nsec()),
        }
    }
}

/// Finds the files that match a pattern. Symbolic links are not followed, and `.git` and the folder of the state are left out.
pub(crate) fn find(root: &Path, patterns: &[String]) -> Found {
    let mut found = Found::default();
    for pattern in patterns {
        let mut steps = Steps::default();
        let glob = Pattern::new(pattern).ok().and_then(|pattern| Glob::compile(pattern, &mut steps).ok());
        match glob {
            Some(glob) => Search { root, glob, entries: 0, found: &mut found }.run(pattern),
            None => found.problems.push(format!("`{pattern}` is no pattern")),
        }
    }
    found
}

struct Search<'a> {
    root: &'a Path,
    glob: Glob,
    entries: usize,
    found: &'a mut Found,
}

impl Search<'_> {
    fn run(&mut self, pattern: &str) {
        let start = literal_folders(pattern);
        let mut folders = vec![start];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(self.root.join(&folder)) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
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
                match entry {
                    Ok(entry) => folders.extend(self.look_at(&folder, &entry)),
                    Err(error) => self.found.problems.push(format!("`{folder}` cannot be listed: {error}")),
                }
            }
        }
    }

    /// Keeps a file that matches. Returns the path of a folder.
    fn look_at(&mut self, folder: &str, entry: &fs::DirEntry) -> Option<String> {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let problem = format!("the name of `{}` is not UTF-8", entry.path().display());
            self.found.problems.push(problem);
            return None;
        };
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let about = entry.metadata().ok()?;
        if about.is_dir() {
            return (name != ".git" && path != FOLDER).then_some(path);
        }
        let is_match = self.glob.matches(&SplitPath::split(&path), &mut Steps::default());
        if about.is_file() && is_match.unwrap_or(false) {
            self.found.files.insert(path, Stamp::new(&about));
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
pub(crate) fn read(root: &Path, patterns: &[String], before: &Found) -> Reports {
    let Found { files, problems } = find(root, patterns);
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
        match text(&root.join(&path)) {
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
pub(crate) fn text(file: &Path) -> Result<String, String> {
    let about = fs::metadata(file).map_err(|error| error.to_string())?;
    if about.len() > MAX_REPORT_BYTES as u64 {
        return Err(format!("the file has {} bytes; the limit is {MAX_REPORT_BYTES}", about.len()));
    }
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    decode(&bytes).map(std::borrow::Cow::into_owned).map_err(|error| error.message().to_owned())
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

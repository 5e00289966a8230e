//! Places in source files, relative to the root of a repository, and the panics of Rust tests, which name one.

use alloc::{borrow::Cow, string::String};

use adjudicate_core::{
    document::Describe,
    paths::{is_outside, normalize},
};
use serde::Serialize;

use crate::{
    limits::MAX_ID_CHARACTERS,
    text::{bounded_id, one_line},
};

/// A place in a source file, as the report names it.
///
/// ```
/// use adjudicate_evidence::Location;
/// let location = Location { file: "src/cart.rs".into(), line: Some(11) };
/// assert_eq!(location.to_string(), "src/cart.rs:11");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct Location {
    /// The path of the file.
    pub file: String,
    /// The line. The first line of a file is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl core::fmt::Display for Location {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl Location {
    /// Returns the place in a file, or `None` if the report does not name the file.
    pub(crate) fn new(file: Option<&str>, line: Option<u32>) -> Option<Self> {
        let file = file.map(str::trim).filter(|file| !file.is_empty())?;
        Some(Self { file: bounded_id(file), line: line.filter(|line| *line > 0) })
    }

    /// Reads `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (rest, last) = text.rsplit_once(':')?;
        let last = last.parse().ok()?;
        match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
            Some((file, line)) => Self::new(Some(file), Some(line)),
            None => Self::new(Some(rest), Some(last)),
        }
    }
}

/// A panic in the output of a Rust test: `thread 'NAME' (ID) panicked at FILE:LINE:COLUMN:`, and the message in the next line. The id
/// differs from run to run.
pub(crate) struct PanicText {
    pub message: Option<String>,
    pub location: Option<Location>,
}

impl PanicText {
    /// Finds the first panic in the output of a test.
    pub(crate) fn find(output: &str) -> Option<Self> {
        let mut lines = output.lines().skip_while(|line| !is_head(line));
        let (_, place) = lines.next()?.split_once("panicked at ")?;
        let message = lines.next().map(one_line).filter(|message| !message.is_empty());
        Some(Self { message, location: Location::parse(place.trim_end_matches(':')) })
    }
}

fn is_head(line: &str) -> bool {
    line.starts_with("thread '") && line.contains("panicked at ")
}

/// Removes `root` from the beginning of a path below it. Other texts stay.
pub(crate) fn cut(path: &mut String, root: &str) {
    let root = root.trim_end_matches(['/', '\\']);
    let rest = path.strip_prefix(root).and_then(|rest| rest.strip_prefix(['/', '\\']));
    if let Some(rest) = rest.filter(|rest| !root.is_empty() && !rest.is_empty()) {
        *path = rest.into();
    }
}

/// Does the same with the file of a location.
pub(crate) fn cut_location(location: &mut Option<Location>, root: &str) {
    if let Some(location) = location {
        cut(&mut location.file, root);
    }
}

/// Returns a path from the root in normal form, or `None` if it names no file below the root. Longer paths than ids are none, because a
/// path that is cut would name another file.
pub(crate) fn inside(path: &str) -> Option<String> {
    let path = path.trim();
    // Some tools on Windows write backslashes.
    let path = if path.contains('/') { Cow::Borrowed(path) } else { Cow::Owned(path.replace('\\', "/")) };
    let is_file = !is_outside(&path) && path.chars().nth(MAX_ID_CHARACTERS).is_none();
    let path = normalize(&path);
    (is_file && !path.is_empty()).then(|| path.into_owned())
}

/// Returns the path of a file that a command in `folder` reported. An absolute path stays. A relative one counts from the folder, and is
/// none if it could also count from a folder above, as paths of pytest do.
pub(crate) fn from_folder(path: String, folder: &str) -> Option<String> {
    let (Some(file), Some(folder)) = (inside(&path), inside(folder)) else { return Some(path) };
    let first = file.split('/').next();
    let is_ambiguous = folder.split('/').any(|segment| first == Some(segment));
    (!is_ambiguous).then(|| [&folder, "/", &file].concat())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_panic_has_a_place_and_a_message() {
        let output = "before\n\nthread 'tests::a' (26896) panicked at src/lib.rs:11:41:\nassertion failed: a\nnote: ...";
        let panic = PanicText::find(output).unwrap();
        assert_eq!(panic.message.unwrap(), "assertion failed: a");
        assert_eq!(panic.location.unwrap().to_string(), "src/lib.rs:11");
        assert!(PanicText::find("he panicked at once").is_none());
    }

    #[test]
    fn only_whole_segments_are_removed() {
        for (path, root, expected) in [
            ("/work/app/src/a.js", "/work/app", "src/a.js"),
            ("/work/app/src/a.js", "/work/app/", "src/a.js"),
            ("C:\\app\\a.js", "C:\\app", "a.js"),
            ("/work/application/a.js", "/work/app", "/work/application/a.js"),
            ("/work/app", "/work/app", "/work/app"),
            ("/a.js", "/", "/a.js"),
        ] {
            let mut text = String::from(path);
            cut(&mut text, root);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn relative_paths_count_from_the_folder_of_the_command() {
        for (path, folder, expected) in [
            ("tests/a.py", "./", Some("tests/a.py")),
            ("tests/a.py", "packages/api/", Some("packages/api/tests/a.py")),
            ("/work/app/a.js", "packages/api", Some("/work/app/a.js")),
            ("packages/api/tests/a.py", "packages/api", None),
            ("api/tests/a.py", "packages/api", None),
        ] {
            assert_eq!(from_folder(path.into(), folder).as_deref(), expected, "{path} in {folder}");
        }
    }

    #[test]
    fn only_paths_below_the_root_are_inside() {
        for (path, expected) in [
            ("tests/a.py", Some("tests/a.py")),
            (" ./spec//a_spec.rb ", Some("spec/a_spec.rb")),
            ("tests\\a.py", Some("tests/a.py")),
            ("build/../tests/a.cc", Some("tests/a.cc")),
            ("../tests/a.cc", None),
            ("/work/other/a.js", None),
            ("C:\\app\\a.js", None),
            ("file:///work/a.mjs", None),
            ("tests/a\\b.py", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(inside(path).as_deref(), expected, "{path}");
        }
        assert_eq!(inside(&"a/".repeat(MAX_ID_CHARACTERS)), None);
    }
}

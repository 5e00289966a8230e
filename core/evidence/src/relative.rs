//! Paths relative to the root of a repository.

use alloc::{borrow::Cow, string::String};

use adjudicate_core::paths::{is_outside, normalize};

use crate::{Location, limits::MAX_ID_CHARACTERS};

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
    use super::*;

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

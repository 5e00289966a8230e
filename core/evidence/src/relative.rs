//! Paths relative to the root of a repository.

use alloc::string::String;

use crate::Location;

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
}

//! Paths of tool calls, relative to the root.
//!
//! This works on text and resolves no links. A path that is not below the root stays absolute, and the engine judges it as outside of the
//! workspace.

use std::path::{Component, Path, PathBuf};

/// Returns a path relative to the root. `folder` is the one in which the agent works.
pub(super) fn relative(root: &Path, folder: Option<&Path>, path: &str) -> String {
    let absolute = plain(&folder.unwrap_or(root).join(path));
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let below = [root, &real].into_iter().find_map(|root| absolute.strip_prefix(plain(root)).ok());
    let shown = below.unwrap_or(&absolute).to_string_lossy();
    let shown = if cfg!(windows) { shown.replace('\\', "/") } else { shown.into_owned() };
    let end = if path.ends_with('/') && !shown.is_empty() { "/" } else { "" };
    if shown.is_empty() { ".".to_owned() } else { shown + end }
}

/// Resolves `.` and `..` in an absolute path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_root_is_relative() {
        let root = Path::new("/work/app");
        for (folder, path, expected) in [
            (None, "/work/app/src/a.js", "src/a.js"),
            (None, "src/./a.js", "src/a.js"),
            (Some("/work/app/src"), "../b.js", "b.js"),
            (Some("/work"), "app/c.js", "c.js"),
            (None, "/work/app", "."),
            (None, "/work/app/docs/", "docs/"),
            (None, "/work/app/../other/a.js", "/work/other/a.js"),
            (None, "/work/application/a.js", "/work/application/a.js"),
            (Some("/tmp"), "a.js", "/tmp/a.js"),
            (None, "../../../etc/passwd", "/etc/passwd"),
        ] {
            assert_eq!(relative(root, folder.map(Path::new), path), expected, "{folder:?} {path}");
        }
    }
}

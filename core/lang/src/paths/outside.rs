//! Paths that leave the workspace, or that have another meaning for the system that opens them.

use super::split;

/// Returns whether a changed path, as written, is outside of the workspace (docs/reference/text-formats.md). Such a path is
/// absolute, has a `..` beyond the root, begins with `~/`, `~name/`, a drive letter or a scheme, or has a backslash or a control
/// character. [`normalize`](super::normalize) would wrongly turn it into a path of the workspace.
///
/// ```
/// use adjudicate_lang::paths::is_outside;
/// for path in ["/etc/passwd", "../x", "a/../../x", "C:/x", "~/x", "file:///x", r"deploy\x", "a\0b"] {
///     assert!(is_outside(path), "{path}");
/// }
/// for path in ["src/main.rs", "a/../b", "src/c:x", "~backup", "my notes: x"] {
///     assert!(!is_outside(path), "{path}");
/// }
/// ```
#[must_use]
pub fn is_outside(path: &str) -> bool {
    let is_hostile = |byte: u8| byte == b'\\' || byte.is_ascii_control();
    path.starts_with('/')
        || path.starts_with('~') && path.contains('/')
        || path.bytes().any(is_hostile)
        || has_scheme(path)
        || leaves(path)
}

/// Returns whether a path begins with a scheme or a drive letter: letters, digits, `+`, `.`, `-`, then `:`.
fn has_scheme(path: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    let end = path.bytes().position(|byte| !is_letter(byte));
    end.is_some_and(|end| end > 0 && path.as_bytes().get(end) == Some(&b':'))
}

/// Returns whether a `..` goes beyond the root.
fn leaves(path: &str) -> bool {
    let mut depth = 0_usize;
    for segment in split(path) {
        match segment {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return true,
            },
            _ => depth += 1,
        }
    }
    false
}

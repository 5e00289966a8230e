//! Files of the workspace that tests write from tables and types in the code: `cargo xtask generate`.

use std::{env, fs, path::Path};

use crate::workspace_root;

/// The variable that makes tests write what they otherwise compare.
const GENERATE: &str = "ADJUDICATE_GENERATE";

/// Returns true if tests write.
#[must_use]
pub fn is_writing() -> bool {
    env::var_os(GENERATE).is_some()
}

/// Asserts that a file of the workspace has this text, or writes it.
///
/// # Panics
///
/// If the file has another text, or cannot be written.
#[track_caller]
pub fn assert_current(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    let file = workspace_root().join(path);
    if is_writing() {
        let written = fs::write(file, text);
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        return;
    }
    let found = fs::read_to_string(file).unwrap_or_default();
    assert!(found == text, "{} is not current: run `cargo xtask generate`", path.display());
}

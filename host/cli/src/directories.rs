//! Where a user's files are, as the XDG convention has it: a relative path does not count.

use std::{env, path::PathBuf};

/// `$XDG_DATA_HOME/adjudicate`, or `~/.local/share/adjudicate`.
pub(crate) fn data() -> Option<PathBuf> {
    ours("XDG_DATA_HOME", ".local/share")
}

/// `$XDG_CACHE_HOME/adjudicate`, or `~/.cache/adjudicate`.
pub(crate) fn cache() -> Option<PathBuf> {
    ours("XDG_CACHE_HOME", ".cache")
}

fn ours(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))?;
    Some(base.join("adjudicate"))
}

//! The directories of the user, by the XDG convention: variables with a relative path are ignored.

use std::path::PathBuf;

use crate::environment::Environment;

/// `$XDG_DATA_HOME/adjudicate`, or `~/.local/share/adjudicate`.
pub(crate) fn data(env: &Environment) -> Option<PathBuf> {
    ours("XDG_DATA_HOME", ".local/share", env)
}

/// `$XDG_CACHE_HOME/adjudicate`, or `~/.cache/adjudicate`.
pub(crate) fn cache(env: &Environment) -> Option<PathBuf> {
    ours("XDG_CACHE_HOME", ".cache", env)
}

fn ours(variable: &str, below_home: &str, env: &Environment) -> Option<PathBuf> {
    let absolute = |name| env.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))?;
    Some(base.join("adjudicate"))
}

//! The files that `cargo xtask` builds and tests read.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::workspace_root;

/// The path of the engine module: `ADJUDICATE_ENGINE`, or the file that `cargo xtask build` makes.
///
/// # Panics
///
/// If there is no such file.
#[must_use]
pub fn engine() -> PathBuf {
    let path = named("ADJUDICATE_ENGINE", "target/artifacts/engine.wasm");
    assert!(path.is_file(), "there is no {}; `cargo xtask build` makes it", path.display());
    path
}

/// The folder of policies that are baked into modules: `ADJUDICATE_BAKED`, or the folder of `cargo xtask test baked`.
#[must_use]
pub fn baked() -> PathBuf {
    named("ADJUDICATE_BAKED", "target/artifacts/baked")
}

fn named(variable: &str, path: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| workspace_root().join(Path::new(path)), PathBuf::from)
}

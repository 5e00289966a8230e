//! The place of this workspace.

use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// The folder of the workspace's `Cargo.toml`.
#[must_use]
pub fn workspace_root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // The variable at run time wins over the one at compile time, because clones that share a target folder share
        // this program, too.
        let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package).ancestors().find(|folder| folder.join("fixtures").is_dir());
        root.unwrap_or(Path::new(&package)).to_owned()
    })
}

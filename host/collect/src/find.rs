//! The root of a repository.

#[cfg(not(target_os = "unknown"))]
use std::path::{Path, PathBuf};

/// The names of a configuration file, in the order in which they are tried.
pub const CONFIGURATION_NAMES: [&str; 3] = ["adjudicate.yaml", "adjudicate.yml", "adjudicate.json"];

/// Returns the configuration file of the nearest folder, from `folder` upwards. Its parent is the root.
#[cfg(not(target_os = "unknown"))]
#[must_use]
pub fn find(folder: &Path) -> Option<PathBuf> {
    let files = |folder: &Path| CONFIGURATION_NAMES.map(|name| folder.join(name));
    folder.ancestors().find_map(|folder| files(folder).into_iter().find(|file| file.is_file()))
}

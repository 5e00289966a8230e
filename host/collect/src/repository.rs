//! The configuration file of a repository.

use std::path::{Path, PathBuf};

use crate::{
    CollectError,
    find::CONFIGURATION_NAMES,
    system::{System, SystemFileKind},
};

/// Returns the configuration file of the nearest folder, from `folder` upwards. Its parent is the root.
///
/// # Errors
///
/// [`CollectError::NoConfiguration`], and [`CollectError::SeveralConfigurations`] if two names exist in that folder.
pub async fn locate(system: &System, folder: &Path) -> Result<PathBuf, CollectError> {
    for folder in folder.ancestors() {
        let mut found = Vec::new();
        let mut is_file = false;
        for name in CONFIGURATION_NAMES {
            if let Ok(about) = system.about(&folder.join(name), true).await {
                is_file |= about.kind == SystemFileKind::File;
                found.push(name.to_owned());
            }
        }
        match found.as_slice() {
            [name] if is_file => return Ok(folder.join(name)),
            [_, _, ..] if is_file => return Err(CollectError::SeveralConfigurations(found)),
            _ => {}
        }
    }
    Err(CollectError::NoConfiguration)
}

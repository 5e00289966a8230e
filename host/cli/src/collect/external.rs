//! `--with`: evidence that no command of the repository shows.

use std::{
    io,
    path::{Path, PathBuf},
};

use adjudicate_collect::real_path;
use adjudicate_core::Error;
use adjudicate_evidence::collect::OwnedExternalEvidence;
use clap::Args;

use super::repository::folder;
use crate::{codes, environment::Environment, input::Source};

/// The argument for external evidence.
#[derive(Debug, Args)]
pub(super) struct ExternalArgs {
    /// Add approvals, policy events and `x-` fields from this document; `-` for standard input
    ///
    /// The document is YAML if its name ends in .yaml or .yml. It counts for this collection only. It must come from CI or from the
    /// code host, and a file in the repository is refused: an agent that writes the document decides its own result.
    #[arg(long, value_name = "FILE")]
    with: Option<Source>,
}

impl ExternalArgs {
    /// Reads the document. A file that an agent could replace by a change of the repository is an error.
    pub(super) fn read(
        &self,
        root: &Path,
        env: &Environment,
    ) -> Result<Option<OwnedExternalEvidence>, Error> {
        let Some(source) = &self.with else { return Ok(None) };
        if let Source::File(path) = source {
            let is_within = is_within(root, path, &folder(env)?).map_err(|error| source.unreadable(error))?;
            if is_within {
                let message = format!(
                    "{source} is in the repository, where an agent can write it; keep it outside of `{}`, or pass it with `--with -`",
                    root.display()
                );
                return Err(Error::new(codes::WRONG_USAGE, message));
            }
        }
        let name = source.name();
        let json = source.part(&name, None, env)?;
        OwnedExternalEvidence::parse(&json).map(Some).map_err(|error| error.within(&name))
    }
}

/// Returns true if a path from `here` is below the root, or leads through a folder or a link there.
fn is_within(root: &Path, path: &Path, here: &Path) -> io::Result<bool> {
    let root = real_path(root)?;
    let named = path.ancestors().filter_map(|part| Some((part.parent()?, part.file_name()?)));
    for (folder, name) in named {
        let entry = found(&here.join(folder))?.map(|folder| folder.join(name));
        if entry.is_some_and(|entry| entry.starts_with(&root) && entry != root) {
            return Ok(true);
        }
    }
    Ok(found(&here.join(path))?.is_some_and(|target| target.starts_with(&root)))
}

/// Resolves all links of a path. A pipe of another program has a name, and leads nowhere.
fn found(path: &Path) -> io::Result<Option<PathBuf>> {
    match real_path(path) {
        Ok(path) => Ok(Some(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

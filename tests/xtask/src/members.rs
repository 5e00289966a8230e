//! The members of the workspace that are published, as `cargo metadata` lists them.

use serde::Deserialize;

use crate::{
    failure::{Doing, Failure},
    workspace::Workspace,
};

/// The members, as `cargo metadata` lists them.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Member>,
}

/// A member of the workspace.
#[derive(Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The oldest compiler that the member supports.
    pub(crate) rust_version: Option<String>,
    /// The registries that the member may be published to: `None` for all of them, empty for none.
    publish: Option<Vec<String>>,
    #[cfg(test)]
    #[serde(flatten)]
    page: tests::Page,
}

/// Returns the members that a release publishes.
pub(crate) fn published(workspace: &Workspace) -> Result<Vec<Member>, Failure> {
    let mut metadata = workspace.cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = metadata.output().doing("running", "cargo metadata")?;
    let read: Metadata = serde_json::from_slice(&output.stdout).map_err(|error| {
        let told = String::from_utf8_lossy(&output.stderr);
        Failure::Broken(format!("cargo metadata: {error}\n{told}"))
    })?;
    let is_published = |member: &Member| member.publish.as_ref().is_none_or(|names| !names.is_empty());
    Ok(read.packages.into_iter().filter(is_published).collect())
}

#[cfg(test)]
mod tests;

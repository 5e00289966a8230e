//! Compiles published crates with the compiler that they promise to support, if it is older than the workspace's.

use crate::{
    failure::Failure,
    log::Log,
    members::{self, Member},
    step::{Step, Work},
    workspace::Workspace,
};

pub(crate) static STEP: Step = Step {
    name: "rust-versions",
    about: "each crate compiles with the oldest compiler that it promises",
    tools: &[],
    after: &[],
    work: Work::Function(rust_versions),
};

fn rust_versions(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    for (member, version) in members::published(workspace)?.iter().filter_map(older) {
        let minimal = ["toolchain", "install", version, "--profile", "minimal", "--no-self-update"];
        log.run(workspace.program("rustup", &minimal))?;
        let mut check = workspace.program("rustup", &["run", version, "cargo", "check", "--locked"]);
        check.args(["--package", &member.name, "--all-features", "--target-dir"]);
        check.arg(workspace.scratch().join(format!("rust-{version}")));
        log.run(check)?;
    }
    Ok(())
}

/// Returns a member that supports an older compiler than the workspace's, with that version.
fn older(member: &Member) -> Option<(&Member, &str)> {
    let version = member.rust_version.as_deref()?;
    (version != env!("CARGO_PKG_RUST_VERSION")).then_some((member, version))
}

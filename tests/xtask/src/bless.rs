//! `cargo xtask bless`: writes the answers of fixtures from the native engine, by a program that knows the engine.

use std::{env, process::ExitCode};

use crate::{
    failure::{Doing, Failure},
    workspace::Workspace,
};

/// Writes the answers of the named fixtures, or of all of them.
pub(crate) fn run(workspace: &Workspace, names: &[&str]) -> Result<ExitCode, Failure> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(Failure::Broken("`bless` changes what is expected, which CI must never do".into()));
    }
    let mut bless =
        workspace.cargo(&["run", "--quiet", "--package", "adjudicate-tests", "--bin", "bless", "--"]);
    let status = bless.args(names).status().doing("running", "bless")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

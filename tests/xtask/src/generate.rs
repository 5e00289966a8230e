//! `cargo xtask generate`: writes the files that are made from tables in the code.
//!
//! Tests write the files, because tests see all crates. Without `ADJUDICATE_GENERATE` the same tests fail if a file is not current.

use std::{env, process::ExitCode};

use crate::{failure::Failure, log::Log, progress::Progress, workspace::Workspace};

/// The tests that write, by the module that they are in.
const TESTS: [&str; 1] = ["codes::"];

/// Writes the files.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(Failure::Broken("`generate` changes what is expected, which CI must never do".into()));
    }
    let progress = Progress::on_stdout(true);
    let mut log = Log::new(&progress, "generate");
    let mut tests = workspace.cargo_test(&["--package", "adjudicate-tests", "--test", "all", "--"]);
    tests.args(TESTS).env("ADJUDICATE_GENERATE", "1");
    log.run_tests(tests)?;
    Ok(ExitCode::SUCCESS)
}

//! `cargo xtask generate`: writes the files that are made from tables and types in the code.
//!
//! Tests write the files, because tests see all crates. Without `ADJUDICATE_GENERATE` the same tests fail if a file is not current.

use std::{env, process::ExitCode};

use crate::{failure::Failure, log::Log, progress::Progress, workspace::Workspace};

/// The tests that write files: the package, the binary of its tests, and the module of the tests.
const TESTS: [[&str; 3]; 8] = [
    ["adjudicate-tests", "all", "codes::"],
    ["adjudicate-tests", "all", "vocabulary::"],
    ["adjudicate-tests", "all", "schemas::operations::"],
    ["adjudicate-guest", "guest", "generated::"],
    ["adjudicate-tests", "all", "typescript::"],
    ["adjudicate", "cli", "schemas::"],
    ["adjudicate", "cli", "commands_page::"],
    // It reads the schemas.
    ["adjudicate-tests", "all", "reference::"],
];

/// Writes the files.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(Failure::Broken("`generate` changes what is expected, which CI must never do".into()));
    }
    let progress = Progress::on_stdout(true);
    let mut log = Log::new(&progress, "generate");
    for [package, binary, module] in TESTS {
        let mut tests = workspace.cargo_test(&["--package", package, "--test", binary, "--", module]);
        tests.env("ADJUDICATE_GENERATE", "1");
        log.run_tests(tests)?;
    }
    Ok(ExitCode::SUCCESS)
}

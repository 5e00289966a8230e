//! `cargo xtask miri`: the unsafe code of the modules, which Miri runs with a stand-in for linear memory.

use std::process::ExitCode;

use crate::{
    failure::Failure,
    fuzz::nightly,
    log::Log,
    progress::Progress,
    workspace::{Workspace, says},
};

/// What Miri takes: linear memory is addresses, and nothing frees a static.
const FLAGS: &str = "-Zmiri-permissive-provenance -Zmiri-ignore-leaks";
const PROGRAMS: [&str; 2] = ["engine", "guest"];

/// Runs both programs, if Miri is there.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if says(&mut nightly(workspace, &["miri", "--version"])).is_none() {
        let how = "run `rustup toolchain install nightly --component miri --component rust-src`";
        return Err(Failure::Missing { what: "Miri", how: how.to_owned() });
    }
    let progress = Progress::on_stdout(true);
    let mut log = Log::new(&progress, "miri");
    for program in PROGRAMS {
        let mut run = nightly(
            workspace,
            &[
                "miri",
                "run",
                "--manifest-path",
                "tests/miri/Cargo.toml",
                "--bin",
                program,
                "--features",
                program,
            ],
        );
        run.env("MIRIFLAGS", FLAGS).arg("--target-dir").arg(workspace.scratch().join("miri"));
        log.run(run)?;
    }
    Ok(ExitCode::SUCCESS)
}

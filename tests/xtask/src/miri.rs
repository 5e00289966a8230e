//! `cargo xtask miri`: the unsafe code of the modules, which Miri runs with a stand-in for linear memory. A step runs the same
//! programs without Miri.

use std::process::{Command, ExitCode};

use crate::{
    failure::Failure,
    fuzz::nightly,
    log::Log,
    progress::Progress,
    step::{Step, Work},
    workspace::{Workspace, says},
};

/// Without Miri, a program notices less: it fails if an answer is wrong, or if memory ends.
pub(crate) static STEP: Step = Step {
    name: "miri-programs",
    about: "the programs of `cargo xtask miri` run, without Miri, which takes a nightly compiler",
    tools: &[],
    after: &[],
    work: Work::Function(without_miri),
};

/// Miri's flags. The modules use addresses as integers and never free a static.
const FLAGS: &str = "-Zmiri-permissive-provenance -Zmiri-ignore-leaks";
const PROGRAMS: [&str; 2] = ["engine", "guest"];

/// Runs both programs, if Miri is installed.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if says(&mut nightly(workspace, &["miri", "--version"])).is_none() {
        let how = "run `rustup toolchain install nightly --component miri --component rust-src`";
        return Err(Failure::Missing { what: "Miri", how: how.to_owned() });
    }
    let progress = Progress::on_stdout(true);
    let mut log = Log::new(&progress, "miri");
    for program in PROGRAMS {
        let mut run = of_program(nightly(workspace, &["miri", "run"]), workspace, program);
        run.env("MIRIFLAGS", FLAGS);
        log.run(run)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn without_miri(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    for program in PROGRAMS {
        let mut run = of_program(workspace.cargo(&["run", "--quiet"]), workspace, program);
        // A backtrace would need more memory than the program has.
        run.env("RUSTFLAGS", "--cfg=miri").env("RUST_BACKTRACE", "0");
        log.run(run)?;
    }
    Ok(())
}

/// Adds the arguments that choose a program.
fn of_program(mut command: Command, workspace: &Workspace, program: &str) -> Command {
    command.args(["--manifest-path", "tests/miri/Cargo.toml", "--bin", program, "--features", program]);
    command.arg("--target-dir").arg(workspace.scratch().join("miri"));
    command
}

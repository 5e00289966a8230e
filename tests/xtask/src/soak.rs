//! `cargo xtask soak`: runs for as long as you like two tests that `cargo xtask test` runs for seconds.
//!
//! First, a server under load: a swap each second, decision records on, a third of the calls hostile. Then random
//! calls, natively and in the sandbox, compared byte by byte. Both print their counts.

use std::{ops::RangeInclusive, process::ExitCode};

use crate::{
    build::ENGINE, failure::Failure, log::Log, numbers, progress::Progress, step, workspace::Workspace,
};

const MINUTES: u64 = 10;
const CALLS: u64 = 100_000;
/// The least number of calls that the test makes, and the largest number that it can count.
const ANY_CALLS: RangeInclusive<u64> = 4_096..=u32::MAX as u64;

/// The options of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SoakOptions {
    /// The minutes of the server; 0 for no server.
    minutes: u64,
    calls: u64,
}

impl SoakOptions {
    /// Reads the arguments after `cargo xtask soak`.
    ///
    /// # Errors
    ///
    /// The reason why the arguments are invalid, for the person who wrote them.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let known = [("--minutes", 0..=u64::MAX / 60), ("--calls", ANY_CALLS)];
        let ([minutes, calls], names) = numbers::read("soak", known, arguments)?;
        match names.first() {
            Some(name) => Err(format!("`soak` takes no name, not even `{name}`")),
            None => Ok(Self { minutes: minutes.unwrap_or(MINUTES), calls: calls.unwrap_or(CALLS) }),
        }
    }
}

/// Runs both tests, and shows their output as it comes.
pub(crate) fn run(workspace: &Workspace, options: SoakOptions) -> Result<ExitCode, Failure> {
    let progress = Progress::on_stdout(true);
    let engine = step::run(&[&ENGINE], workspace, &progress);
    if engine.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(step::exit_code(&engine));
    }
    let mut log = Log::new(&progress, "soak");
    // All members together, as in other steps, because each choice of members compiles its dependencies again.
    if options.minutes > 0 {
        let mut server = workspace.cargo(&["test", "--release", "--workspace", "--test", "servers", "--"]);
        let seconds = options.minutes * 60;
        server.args(["soak::", "--nocapture"]).env("ADJUDICATE_SOAK_SECONDS", seconds.to_string());
        log.run_tests(server)?;
    }
    let mut calls = workspace.cargo(&["test", "--workspace", "--test", "all", "--"]);
    calls.args(["agreement::", "--nocapture"]).env("PROPTEST_CASES", options.calls.to_string());
    log.run_tests(calls)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_promised_number_of_calls_is_made() {
        let read = |line: &str| SoakOptions::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("--calls 4096"), Ok(SoakOptions { minutes: MINUTES, calls: 4096 }));
        for calls in ["4095", "4294967296"] {
            let refused = format!("`--calls` takes a whole number from 4096 to 4294967295, not `{calls}`");
            assert_eq!(read(&format!("--calls {calls}")), Err(refused));
        }
        assert_eq!(read("--minutes 0"), Ok(SoakOptions { minutes: 0, calls: CALLS }));
        let agreement = std::fs::read_to_string("../tests/agreement.rs").expect("a file");
        assert!(agreement.contains("const LEAST: u32 = 4_096;"));
    }
}

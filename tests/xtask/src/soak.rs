//! `cargo xtask soak`: what `cargo xtask test` does for seconds, for as long as you like.
//!
//! First a server under load: a swap each second, decision records on, a third of the calls hostile. Then calls that nobody
//! wrote, natively and in the sandbox, compared byte by byte. Both are tests; here they are optimised, and say what they counted.

use std::{process::ExitCode, time::Instant};

use crate::{
    build::ENGINE, failure::Failure, log::Log, numbers, progress::Progress, step, workspace::Workspace,
};

const MINUTES: u64 = 10;
const CALLS: u64 = 100_000;
/// The least number of calls that the test makes, and the largest that it counts to.
const ANY_CALLS: std::ops::RangeInclusive<u64> = 4_096..=u32::MAX as u64;

/// How long it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    minutes: u64,
    calls: u64,
}

impl Wanted {
    /// Reads what follows `cargo xtask soak`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the person who wrote it.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let ([minutes, calls], names) = numbers::read("soak", ["--minutes", "--calls"], arguments)?;
        match names.first() {
            Some(name) => Err(format!("`soak` takes no name, not even `{name}`")),
            None if calls.is_some_and(|calls| !ANY_CALLS.contains(&calls)) => {
                Err(format!("`--calls` takes a number from {} to {}", ANY_CALLS.start(), ANY_CALLS.end()))
            }
            None => Ok(Self { minutes: minutes.unwrap_or(MINUTES), calls: calls.unwrap_or(CALLS) }),
        }
    }
}

/// Runs both; what they printed is shown as it comes.
pub(crate) fn run(workspace: &Workspace, wanted: Wanted) -> Result<ExitCode, Failure> {
    let progress = Progress::on_stdout(true);
    let engine = step::run(&[&ENGINE], workspace, &progress);
    if engine.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(step::exit_code(&engine));
    }
    let mut log = Log::new(&progress, "soak");
    // All members together, as in other steps: each choice of members would compile its dependencies anew.
    let mut server = workspace.cargo(&["test", "--release", "--workspace", "--test", "serve", "--"]);
    server.args(["soak::", "--nocapture"]).env("ADJUDICATE_SOAK_SECONDS", (wanted.minutes * 60).to_string());
    log.run_tests(server)?;
    let mut calls = workspace.cargo(&["test", "--release", "--workspace", "--test", "all", "--"]);
    calls.args(["agreement::", "--nocapture"]).env("PROPTEST_CASES", wanted.calls.to_string());
    let begin = Instant::now();
    log.run_tests(calls)?;
    log.note(&format!(
        "{} calls in {:.0} s, compiling included",
        wanted.calls,
        begin.elapsed().as_secs_f64()
    ));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_number_of_calls_is_promised_than_is_made() {
        let read = |line: &str| Wanted::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("--calls 4096"), Ok(Wanted { minutes: MINUTES, calls: 4096 }));
        for calls in ["4095", "4294967296"] {
            let refused = Err("`--calls` takes a number from 4096 to 4294967295".to_owned());
            assert_eq!(read(&format!("--calls {calls}")), refused);
        }
        let agreement = std::fs::read_to_string("../tests/agreement.rs").expect("a file");
        assert!(agreement.contains("const LEAST: u32 = 4_096;"));
    }
}

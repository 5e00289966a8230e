//! `cargo xtask fuzz`: runs every fuzz target for some time, starting with the inputs that earlier runs found.
//!
//! libFuzzer needs a nightly compiler and cargo-fuzz; the task installs cargo-fuzz if it is missing. Inputs that reach
//! new code are kept in `tests/fuzz/corpus`, which git ignores. Each run begins with these inputs and with the calls of
//! the corpus.

use std::{
    path::PathBuf,
    process::{Command, ExitCode},
};

use crate::{
    failure::{Doing, Failure},
    log::Log,
    numbers,
    progress::Progress,
    workspace::{Workspace, says},
};

/// Seconds for each target.
const SECONDS: u64 = 60;
/// The version that the task installs if there is none.
const CARGO_FUZZ: &str = "0.13.2";
/// The longest input in bytes. Policies and envelopes that people write are shorter.
const LONGEST: u32 = 64 << 10;

/// A target, and the folders of its first inputs.
struct Target {
    name: &'static str,
    seeds: &'static [&'static str],
}

const PLANS: [&str; 4] = [
    "target/xtask/calls/validate_plan",
    "target/xtask/calls/merge_diagnostics",
    "target/xtask/calls/observe_output",
    "target/xtask/calls/apply_guardrails",
];
const PLANNING: [&str; 3] = [
    "target/xtask/calls/normalize_plan",
    "target/xtask/calls/verify_replay",
    "target/xtask/calls/deliberate",
];

static TARGETS: [Target; 12] = [
    Target {
        name: "call",
        seeds: &[
            "target/xtask/calls/evaluate",
            "target/xtask/calls/explain",
            "target/xtask/calls/check_policy",
        ],
    },
    Target { name: "policy", seeds: &["fixtures/policies"] },
    Target { name: "glob", seeds: &[] },
    Target { name: "texts", seeds: &[] },
    Target { name: "logic", seeds: &[] },
    Target { name: "refine", seeds: &["target/xtask/calls/refine"] },
    Target { name: "check", seeds: &["fixtures/policies"] },
    Target { name: "explain", seeds: &["fixtures/policies"] },
    Target { name: "schema", seeds: &[] },
    Target { name: "plan", seeds: &PLANS },
    Target { name: "planning", seeds: &PLANNING },
    Target { name: "module", seeds: &["target/artifacts/guests", "target/artifacts/hostile"] },
];

/// The targets to run, and the time for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    names: Vec<String>,
    seconds: u64,
}

impl FuzzOptions {
    /// Reads the arguments after `cargo xtask fuzz`.
    ///
    /// # Errors
    ///
    /// The reason why the arguments are invalid, for the person who wrote them.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let ([seconds], names) = numbers::read("fuzz", [("--seconds", 1..=u64::MAX)], arguments)?;
        match names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name)) {
            Some(name) => Err(format!("`{name}` is not a fuzz target")),
            None => Ok(Self {
                names: names.into_iter().map(str::to_owned).collect(),
                seconds: seconds.unwrap_or(SECONDS),
            }),
        }
    }
}

/// Runs the targets one after the other, even if one fails.
pub(crate) fn run(workspace: &Workspace, options: &FuzzOptions) -> Result<ExitCode, Failure> {
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| options.names.is_empty() || options.names.iter().any(|name| name == target.name))
        .collect();
    let progress = Progress::on_stdout(true);
    let mut log = Log::new(&progress, "fuzz");
    provide(workspace, &mut log)?;
    let arguments = ["run", "--quiet", "--package", "adjudicate-tests", "--bin", "corpus", "--", "--calls"];
    let mut calls = workspace.cargo(&arguments);
    calls.arg(workspace.scratch().join("calls"));
    log.run(calls)?;
    let mut broken = Vec::new();
    for target in chosen {
        if let Err(failure) = fuzz(workspace, target, options.seconds, &mut log) {
            log.note(&format!("{}: {failure}", target.name));
            broken.push(target.name);
        }
    }
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    log.note(&format!("found something: {}; the inputs are in tests/fuzz/artifacts", broken.join(", ")));
    Ok(ExitCode::FAILURE)
}

/// Makes sure that there is a nightly compiler and cargo-fuzz.
fn provide(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let missing = |what, how: &str| Err(Failure::Missing { what, how: how.to_owned() });
    if says(&mut nightly(workspace, &["--version"])).is_none() {
        return missing("a nightly compiler", "run `rustup toolchain install nightly`");
    }
    if says(&mut nightly(workspace, &["fuzz", "--version"])).is_some() {
        return Ok(());
    }
    let mut install = nightly(workspace, &["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ]);
    install.arg("--root").arg(tools(workspace));
    if let Err(failure) = log.run(install) {
        return missing("cargo-fuzz", &format!("it cannot be installed here, {failure}"));
    }
    Ok(())
}

fn fuzz(workspace: &Workspace, target: &Target, seconds: u64, log: &mut Log<'_>) -> Result<(), Failure> {
    let folder = workspace.root().join("tests/fuzz");
    let kept = folder.join("corpus").join(target.name);
    std::fs::create_dir_all(&kept).doing("creating", kept.display())?;
    let mut run = nightly(workspace, &["fuzz", "run", "--fuzz-dir"]);
    run.arg(&folder).arg("--target-dir").arg(workspace.scratch().join("fuzz"));
    if target.name == "module" {
        run.args(["--features", "host"]);
    }
    run.arg(target.name).arg(&kept);
    run.args(target.seeds.iter().map(|seeds| workspace.root().join(seeds)).filter(|seeds| seeds.is_dir()));
    run.arg("--").arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={LONGEST}"));
    log.run(run).map(drop)
}

/// cargo of the nightly compiler. It also finds a cargo-fuzz that this program installed.
pub(crate) fn nightly(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = workspace.program("cargo", arguments);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools(workspace).join("bin")).chain(std::env::split_paths(&path));
    if let Ok(path) = std::env::join_paths(folders) {
        command.env("PATH", path);
    }
    command.env("RUSTUP_TOOLCHAIN", "nightly").env_remove("CARGO").env_remove("RUSTC");
    command
}

fn tools(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("tools")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_run_and_named_in_the_readme() {
        let workspace = Workspace::locate().expect("the workspace");
        let text = |file| std::fs::read_to_string(workspace.root().join(file)).expect("a file");
        let (manifest, readme) = (text("tests/fuzz/Cargo.toml"), text("tests/fuzz/README.md"));
        let mut names: Vec<_> =
            manifest.split("[[bin]]").skip(1).map(|part| part.split('"').nth(1).expect("a name")).collect();
        let mut known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
        for target in &TARGETS {
            assert!(readme.contains(&format!("| `{}` |", target.name)), "{}", target.name);
            for seeds in target.seeds.iter().filter(|seeds| seeds.starts_with("fixtures/")) {
                assert!(workspace.root().join(seeds).is_dir(), "{seeds}");
            }
        }
    }

    #[test]
    fn only_targets_are_run() {
        let read = |line: &str| FuzzOptions::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("glob --seconds 5"), Ok(FuzzOptions { names: vec!["glob".to_owned()], seconds: 5 }));
        assert_eq!(read("globs"), Err("`globs` is not a fuzz target".to_owned()));
    }
}

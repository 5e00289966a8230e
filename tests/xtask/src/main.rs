//! `cargo xtask`: the tasks of this workspace, except compiling.
//!
//! This file reads the command line and owns the exit status. Each task has a module; the shared ones below them
//! are the workspace's paths, the tools of the machine, running programs, and showing progress.

mod archives;
mod bench;
mod bench_extism;
mod bench_js_peers;
mod bench_peers;
mod bench_plot;
mod bench_report;
mod benchmarks_page;
mod bless;
mod build;
mod changed;
mod cluster;
mod corpus;
mod failure;
mod foreign;
mod fuzz;
mod generate;
mod guests;
mod javascript;
mod log;
mod matrix;
mod members;
mod miri;
mod numbers;
mod outcome;
mod playground;
mod playground_browser;
mod plot;
mod progress;
mod python;
mod registry;
mod rust_versions;
mod soak;
mod step;
mod tally;
mod test;
mod tools;
mod values;
#[cfg(test)]
mod workflows;
mod workspace;

use std::{env, process::ExitCode};

use crate::{bench_report::Wanted, failure::Failure, workspace::Workspace};

const USAGE: &str = "\
usage: cargo xtask TASK

  build                     the engine module and the npm package, into target/artifacts
       --sizes              what each area of the source costs in the engine module instead
  quick                     what to run after each change: format, clippy, the core's unit tests, the corpus natively
  test [NAME...]            everything that must hold, or only the areas and steps named: core, wasm, host, cli, js, docs
       --all                also a cluster, a registry, and more runtimes and bundlers, which take long to fetch
       --list               the areas and the steps, each with what it does
       --verbose            all output, not only that of failed steps
  package [--verbose]       packs the crates and the npm package that are published, and builds them outside of the workspace
  playground [--port PORT]  builds the playground and serves it on this machine, at port 4173 unless told otherwise
       --build              only builds it, into target/playground
  bless [NAME...]           writes fixtures' answers from the native engine
  generate                  writes the files that are made from tables in the code, for example the page of error codes
  soak [--minutes N]        a server under load and under attack, with swaps and records; 10 minutes unless told
       [--calls N]          and then N random calls natively and in the sandbox, 4,096 or more; 100,000 unless told
  fuzz [TARGET...]          every fuzz target, or only those named; needs a nightly compiler
       [--seconds N]        for so many seconds each, 60 unless told
  miri                      the unsafe code of the modules under Miri; needs a nightly compiler
  bench [--json] [--quick]  the ratios and sizes of BENCHMARKS.md, which a full run rewrites
       --plot               draws how time grows with the number of rules, too
       --peers              other engines on the same rules instead, which takes long to compile
       --js-peers           other engines for JavaScript on the same rules instead
       --extism             the engine as an Extism plugin instead, which takes as long
";

/// The exit status for a command line that is not of the form above.
const WRONG_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, Failure> {
    let Some((task, rest)) = arguments.split_first() else { return Ok(wrong_usage("no task is named")) };
    match task.as_str() {
        "playground" => {
            return asked(playground::Wanted::read(rest), |wanted| {
                playground::run(&Workspace::locate()?, wanted)
            });
        }
        "soak" => {
            return asked(soak::Wanted::read(rest), |wanted| soak::run(&Workspace::locate()?, wanted));
        }
        "fuzz" => {
            return asked(fuzz::Wanted::read(rest), |wanted| fuzz::run(&Workspace::locate()?, &wanted));
        }
        _ => {}
    }
    let (flags, names): (Vec<&str>, Vec<&str>) =
        rest.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let (known_flags, takes_names): (&[&str], bool) = match task.as_str() {
        "build" => (&["--sizes", "--verbose"], false),
        "quick" | "package" => (&["--verbose"], false),
        "test" => (&["--all", "--list", "--verbose"], true),
        "bless" => (&[], true),
        "generate" | "miri" => (&[], false),
        "bench" => {
            (&["--json", "--quick", "--plot", "--peers", "--js-peers", "--extism", "--verbose"], false)
        }
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        other => return Ok(wrong_usage(&format!("`{other}` is not a task"))),
    };
    if let Some(flag) = flags.iter().find(|flag| !known_flags.contains(flag)) {
        return Ok(wrong_usage(&format!("`{task}` knows no flag `{flag}`")));
    }
    if let (false, Some(name)) = (takes_names, names.first()) {
        return Ok(wrong_usage(&format!("`{task}` takes no name, not even `{name}`")));
    }
    let has = |flag| flags.contains(&flag);
    let runs: Vec<_> =
        ["--plot", "--peers", "--js-peers", "--extism"].into_iter().filter(|flag| has(flag)).collect();
    if let [one, other, ..] = runs.as_slice() {
        return Ok(wrong_usage(&format!("`{one}` and `{other}` are runs of their own")));
    }
    let workspace = Workspace::locate()?;
    match task.as_str() {
        "build" if has("--sizes") => build::sizes(&workspace, has("--verbose")),
        "build" => build::run(&workspace, has("--verbose")),
        "quick" => test::quick(&workspace, has("--verbose")),
        "package" => test::run(&workspace, &[archives::STEP.name], false, has("--verbose")),
        "test" if !names.is_empty() && (has("--all") || has("--list")) => {
            Ok(wrong_usage("`--all` and `--list` are about all areas and steps, and take no name"))
        }
        "test" if has("--list") => Ok(test::list()),
        "test" => test::run(&workspace, &names, has("--all"), has("--verbose")),
        "bless" => bless::run(&names),
        "generate" => generate::run(&workspace),
        "miri" => miri::run(&workspace),
        _ => {
            let (json, quick, plot) = (has("--json"), has("--quick"), has("--plot"));
            let (peers, js_peers, extism) = (has("--peers"), has("--js-peers"), has("--extism"));
            let verbose = has("--verbose");
            bench::run(&workspace, Wanted { json, quick, plot, peers, js_peers, extism, verbose })
        }
    }
}

/// Runs a task that reads its own command line, unless that is wrong.
fn asked<W>(
    wanted: Result<W, String>,
    run: impl FnOnce(W) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    match wanted {
        Ok(wanted) => run(wanted),
        Err(fault) => Ok(wrong_usage(&fault)),
    }
}

fn wrong_usage(what: &str) -> ExitCode {
    eprint!("xtask: {what}\n\n{USAGE}");
    ExitCode::from(WRONG_USAGE)
}

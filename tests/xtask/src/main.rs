//! `cargo xtask`: the tasks of this workspace, except compiling.
//!
//! This file reads the command line and sets the exit status. Each task has a module. The modules that tasks share have
//! the paths of the workspace, the tools of the machine, running programs, and progress.

mod archives;
mod bench;
mod bench_extism;
mod bench_js_peers;
mod bench_peers;
mod bench_report;
mod benchmarks_page;
mod benchmarks_rows;
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
mod lines;
mod log;
mod matrix;
mod members;
mod miri;
mod numbers;
mod outcome;
mod playground;
mod playground_browser;
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
mod words;
#[cfg(test)]
mod workflows;
mod workspace;

use std::{env, process::ExitCode};

use crate::{bench_report::BenchOptions, failure::Failure, workspace::Workspace};

const USAGE: &str = "\
usage: cargo xtask TASK

  build                     the engine module and the npm package, into target/artifacts
       --engine             only the engine module
       --sizes              instead prints the size of each area of the source in the engine module
  quick                     the steps to run after each change: format, clippy, the core's unit tests, the corpus natively
  test [NAME...]            the gate, or only the named areas and steps: core, wasm, host, cli, js, docs
       --all                also budgets, features, a cluster, a registry, more languages, runtimes and bundlers
       --list               lists the areas and the steps, each with its description
       --verbose            all output, not only that of failed steps
  package [--verbose]       packs the crates and the npm package that are published, and builds them outside of the workspace
  playground [--port PORT]  builds the playground and serves it on this machine, at port 4173 by default
       --build              only builds it, into target/playground
  lines                     the lines of production and of tests, the files and the words of each area
  words [--places]          counts how comments and documentation are written; lists the places that break a rule
  bless [NAME...]           writes fixtures' answers from the native engine
  generate                  writes the files that are made from tables in the code, for example the page of error codes
  soak [--minutes N]        a server under load and under attack, with swaps and records; 10 minutes by default, 0 for none
       [--calls N]          and then N random calls natively and in the sandbox, 4,096 or more; 100,000 by default
  fuzz [TARGET...]          every fuzz target, or only the named ones; needs a nightly compiler
       [--seconds N]        for N seconds each, 60 by default
  miri                      the unsafe code of the modules under Miri; needs a nightly compiler
  bench [--json] [--quick]  the ratios and sizes of docs/benchmarks.md, which a full run rewrites
       --peers              other engines on the same rules instead, which takes long to compile
       --js-peers           other engines for JavaScript on the same rules instead
       --extism             the engine as an Extism plugin instead, which takes as long
";

/// The exit status of an invalid command line.
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
            return run_with(playground::PlaygroundOptions::read(rest), |options| {
                playground::run(&Workspace::locate()?, options)
            });
        }
        "soak" => {
            return run_with(soak::SoakOptions::read(rest), |options| {
                soak::run(&Workspace::locate()?, options)
            });
        }
        "fuzz" => {
            return run_with(fuzz::FuzzOptions::read(rest), |options| {
                fuzz::run(&Workspace::locate()?, &options)
            });
        }
        _ => {}
    }
    let (flags, names): (Vec<&str>, Vec<&str>) =
        rest.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let (known_flags, takes_names): (&[&str], bool) = match task.as_str() {
        "build" => (&["--engine", "--sizes", "--verbose"], false),
        "quick" | "package" => (&["--verbose"], false),
        "test" => (&["--all", "--list", "--verbose"], true),
        "bless" => (&[], true),
        "generate" | "lines" | "miri" => (&[], false),
        "words" => (&["--places"], false),
        "bench" => (&["--json", "--quick", "--peers", "--js-peers", "--extism", "--verbose"], false),
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
    let runs: Vec<_> = ["--peers", "--js-peers", "--extism"].into_iter().filter(|flag| has(flag)).collect();
    if let [one, other, ..] = runs.as_slice() {
        return Ok(wrong_usage(&format!("`{one}` and `{other}` are runs of their own")));
    }
    let workspace = Workspace::locate()?;
    match task.as_str() {
        "build" if has("--sizes") => build::sizes(&workspace, has("--verbose")),
        "build" => build::run(&workspace, has("--engine"), has("--verbose")),
        "quick" => test::quick(workspace, has("--verbose")),
        "package" => test::run(workspace, &[archives::STEP.name], false, has("--verbose")),
        "test" if !names.is_empty() && (has("--all") || has("--list")) => {
            Ok(wrong_usage("`--all` and `--list` are about all areas and steps, and take no name"))
        }
        "test" if has("--list") => Ok(test::list()),
        "test" => test::run(workspace, &names, has("--all"), has("--verbose")),
        "bless" => bless::run(&workspace, &names),
        "generate" => generate::run(&workspace),
        "lines" => lines::print(&workspace).map(|()| ExitCode::SUCCESS),
        "miri" => miri::run(&workspace),
        "words" => words::run(&workspace, has("--places")),
        _ => {
            let (json, quick) = (has("--json"), has("--quick"));
            let (peers, js_peers, extism) = (has("--peers"), has("--js-peers"), has("--extism"));
            let verbose = has("--verbose");
            bench::run(&workspace, BenchOptions { json, quick, peers, js_peers, extism, verbose })
        }
    }
}

/// Runs a task that reads its own arguments, if they are valid.
fn run_with<W>(
    options: Result<W, String>,
    run: impl FnOnce(W) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    match options {
        Ok(options) => run(options),
        Err(fault) => Ok(wrong_usage(&fault)),
    }
}

fn wrong_usage(what: &str) -> ExitCode {
    eprint!("xtask: {what}\n\n{USAGE}");
    ExitCode::from(WRONG_USAGE)
}

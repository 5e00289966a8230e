//! `cargo xtask`: the tasks of this workspace, except compiling.
//!
//! This file reads the command line and sets the exit status. `steps.rs` has the table of steps, `steps.sh` their scripts.

mod bench;
mod lines;
mod log;
#[cfg(test)]
mod published;
mod step;
mod steps;
mod tally;
mod tools;
mod words;
#[cfg(test)]
mod workflows;
mod workspace;

use std::{env, error::Error, io, process::ExitCode, time::Instant};

use crate::{log::Progress, workspace::Workspace};

/// The reason why a task or a step failed, in words for the person who started it.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

const USAGE: &str = "\
usage: cargo xtask TASK

  build                     the engine module and the npm package, into target/artifacts
       --engine             only the engine module
  quick                     the steps to run after each change: format, clippy, the core's unit tests, the corpus natively
  test [NAME...]            the gate, or only the named areas and steps: core, wasm, host, cli, js, docs
       --all                also budgets, features, a cluster, a registry, more languages, runtimes and bundlers
       --list               lists the areas and the steps, each with its description
       --verbose            all output, not only that of failed steps
  package                   packs the published crates, and compiles each from its archive
  playground [ARGUMENT...]  builds the playground and serves it on this machine, with arguments for `vite preview`
       --build              only builds it, into target/playground
  words                     the style of pages and comments in numbers, and the type names that several crates share
  lines                     the lines of production and of tests, the files and the words of each area
  bless [NAME...]           writes fixtures' answers from the native engine
  generate                  writes the files that are made from tables in the code, for example the page of error codes
  soak                      a server under load and under attack, with swaps and records; then random calls in the sandbox
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
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(fault) = check(&arguments) {
        eprint!("xtask: {fault}\n\n{USAGE}");
        return ExitCode::from(WRONG_USAGE);
    }
    run(&arguments).unwrap_or_else(|failure| {
        eprintln!("xtask: {failure}");
        ExitCode::FAILURE
    })
}

/// Returns the fault of an invalid command line.
pub(crate) fn check(arguments: &[&str]) -> Result<(), String> {
    let (task, rest) = arguments.split_first().ok_or("no task is named")?;
    let (flags, takes_names): (&[&str], bool) = match *task {
        "playground" => return Ok(()),
        "build" => (&["--engine", "--verbose"], false),
        "test" => (&["--all", "--list", "--verbose"], true),
        "bless" => (&[], true),
        "quick" | "package" | "generate" | "soak" | "miri" => (&["--verbose"], false),
        "bench" => (&["--json", "--quick", "--peers", "--js-peers", "--extism", "--verbose"], false),
        "lines" | "words" | "help" | "--help" | "-h" => (&[], false),
        other => return Err(format!("`{other}` is not a task")),
    };
    for argument in rest {
        if argument.starts_with('-') && !flags.contains(argument) {
            return Err(format!("`{task}` knows no flag `{argument}`"));
        }
        if !argument.starts_with('-') && (!takes_names || rest.contains(&"--all") || rest.contains(&"--list"))
        {
            return Err(format!("`{}` takes no name, not even `{argument}`", arguments.join(" ")));
        }
    }
    let parts = rest.iter().filter(|argument| bench::PARTS.iter().any(|(flag, _)| flag == *argument));
    match parts.collect::<Vec<_>>().as_slice() {
        [one, other, ..] => Err(format!("`{one}` and `{other}` are runs of their own")),
        _ => Ok(()),
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode, Failure> {
    let (task, rest) = arguments.split_first().ok_or("no task is named")?;
    let has = |flag| rest.contains(&flag);
    let names: Vec<&str> = rest.iter().filter(|argument| !argument.starts_with('-')).copied().collect();
    let workspace = Workspace::locate()?;
    if ["bless", "generate"].contains(task) && env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(format!("`{task}` changes what is expected, which CI must never do").into());
    }
    match *task {
        // These artefacts are released.
        "build" if has("--engine") => run_steps(&workspace, &["engine"], has("--verbose")),
        "build" => run_steps(&workspace, &["engine", "npm-package"], has("--verbose")),
        "quick" => test(workspace, &steps::of_area("quick"), has("--verbose")),
        "package" => test(workspace, &["archives"], has("--verbose")),
        "generate" | "soak" | "miri" => run_steps(&workspace, &[task], true),
        "test" if has("--list") => Ok(list()),
        "test" => {
            let further = if has("--all") { steps::FURTHER } else { &[] };
            let names = match names.as_slice() {
                [] => steps::GATE.iter().chain(further).map(|step| step.name).collect(),
                names => names.iter().flat_map(|name| steps::of_area(name)).collect::<Vec<_>>(),
            };
            test(workspace, &names, has("--verbose"))
        }
        "playground" => playground(&workspace, rest),
        "lines" => lines::print(&workspace),
        "words" => words::print(&workspace),
        "bless" => {
            attached(&workspace, "cargo run --quiet --package adjudicate-tests --bin bless -- $@", &names)
        }
        "bench" => bench::run(workspace, rest),
        _ => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Prints the output of `--list`.
fn list() -> ExitCode {
    let lists =
        [("cargo xtask test", steps::GATE), ("with --all", steps::FURTHER), ("only by name", steps::NAMED)];
    for (title, steps) in lists {
        println!("{title}");
        for step in steps {
            println!("  {:<22} {}", step.name, step.about);
        }
    }
    println!("areas");
    for (area, steps) in steps::AREAS {
        println!("  {area:<22} {steps}");
    }
    ExitCode::SUCCESS
}

/// Runs the named steps of a test.
fn test(mut workspace: Workspace, names: &[&str], verbose: bool) -> Result<ExitCode, Failure> {
    // Budgets are about the artefacts that are released. The steps of the gate pass with any build of them.
    if !steps::FURTHER.iter().any(|further| names.contains(&further.name)) {
        workspace.profile = "gate";
    }
    run_steps(&workspace, names, verbose)
}

/// Runs the named steps, with the steps whose products they read.
fn run_steps(workspace: &Workspace, names: &[&str], verbose: bool) -> Result<ExitCode, Failure> {
    let begin = Instant::now();
    let progress = Progress::new(io::stdout(), verbose);
    let outcomes = step::run(&step::choose(&steps::all(), names)?, workspace, &progress)?;
    step::summarise(&outcomes, begin.elapsed(), &progress);
    Ok(step::exit_code(&outcomes))
}

/// Builds the page, and serves it until you stop it.
fn playground(workspace: &Workspace, arguments: &[&str]) -> Result<ExitCode, Failure> {
    let progress = Progress::new(io::stdout(), false);
    let outcomes = step::run(&step::choose(&steps::all(), &["page"])?, workspace, &progress)?;
    if arguments.contains(&"--build") || outcomes.iter().any(|outcome| outcome.has_failed) {
        return Ok(step::exit_code(&outcomes));
    }
    // Without a terminal as stdin, because Vite would read keys from it, and a shell would stop it in the background.
    attached(workspace, "cd js/playground && node node_modules/vite/bin/vite.js preview $@", arguments)
}

/// Runs a script with arguments, and with the output of this program.
fn attached(workspace: &Workspace, script: &str, arguments: &[&str]) -> Result<ExitCode, Failure> {
    let status = workspace.script(script).arg("xtask").args(arguments).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

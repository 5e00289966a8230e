//! `cargo xtask bench`: ratios and sizes, as a table, as JSON, and in BENCHMARKS.md.
//!
//! What is measured is the affair of `tests/benches`; here it is built, run, joined with the sizes and shown. Other
//! engines are beside this in `bench_peers.rs` and, for JavaScript, in `bench_js_peers.rs`, another sandbox in `bench_extism.rs`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::Number;

use crate::{
    bench_extism, bench_js_peers, bench_peers, bench_plot,
    benchmarks_page::{self, Block},
    build::{self, BINDGEN, ENGINE, PACKAGE},
    corpus,
    failure::{Doing, Failure, write},
    log::Log,
    progress::Progress,
    step::{self, Step, Work},
    tools::Tool,
    workspace::Workspace,
};

/// The measured values by their stable keys.
pub(crate) type Values = BTreeMap<String, Number>;

/// The measuring program, with the same fat LTO as the engine module.
static PROGRAM: Step = Step {
    name: "benches",
    about: "builds the measuring program",
    tools: &[],
    after: &[],
    work: Work::Cargo(&["build", "--package", "adjudicate-benches", "--profile", build::PROFILE]),
};

/// The program that measures memory with a counting allocator.
static MEMORY: Step = Step {
    name: "memory",
    about: "builds the program that measures memory",
    work: Work::Cargo(&[
        "build",
        "--package",
        "adjudicate-tests",
        "--no-default-features",
        "--bin",
        "memory",
        "--profile",
        build::PROFILE,
    ]),
    ..PROGRAM
};

/// Its run.
static MEASURE: Step = Step {
    name: "measure",
    about: "measures everything in one run",
    tools: &[Tool::Node],
    after: &["engine", "npm-package", "benches", "memory"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

/// A shorter run of it.
static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// What is asked of a run.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// One flat object on stdout and nothing else; BENCHMARKS.md is not changed.
    pub(crate) json: bool,
    /// A look, after which BENCHMARKS.md is not changed either.
    pub(crate) quick: bool,
    /// The plots of this run's numbers.
    pub(crate) plot: bool,
    /// Other engines instead.
    pub(crate) peers: bool,
    /// Other engines for JavaScript instead.
    pub(crate) js_peers: bool,
    /// The engine as an Extism plugin instead.
    pub(crate) extism: bool,
    /// All output of the programs.
    pub(crate) verbose: bool,
}

/// Builds, measures and shows.
pub(crate) fn run(workspace: &Workspace, wanted: Wanted) -> Result<ExitCode, Failure> {
    if wanted.peers {
        return bench_peers::run(workspace, wanted);
    }
    if wanted.js_peers {
        return bench_js_peers::run(workspace, wanted);
    }
    if wanted.extism {
        return bench_extism::run(workspace, wanted);
    }
    let last = if wanted.quick { &MEASURE_QUICKLY } else { &MEASURE };
    let steps = [&ENGINE, &BINDGEN, &PACKAGE, &PROGRAM, &MEMORY, last];
    report(workspace, wanted, &steps, &results_file(workspace), Block::Results, |values| {
        if wanted.plot {
            for (file, draw) in bench_plot::PLOTS {
                write(&workspace.root().join(file), draw(values))?;
            }
        }
        Ok(benchmarks_page::table(values))
    })
}

/// Runs steps that leave results in a file, shows them as is wanted, and writes a full run's to its block of BENCHMARKS.md.
pub(crate) fn report(
    workspace: &Workspace,
    wanted: Wanted,
    steps: &[&'static Step],
    results: &Path,
    block: Block,
    tables: impl FnOnce(&Values) -> Result<String, Failure>,
) -> Result<ExitCode, Failure> {
    let progress = Progress::on_stderr(wanted.verbose);
    let outcomes = step::run(steps, workspace, &progress);
    if outcomes.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(ExitCode::FAILURE);
    }
    let text = fs::read_to_string(results).doing("reading", results.display())?;
    let tables = tables(&parse(&text)?)?;
    if wanted.json {
        println!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    print!("{tables}");
    if !wanted.quick {
        benchmarks_page::rewrite(&workspace.root().join("BENCHMARKS.md"), block, &tables)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a run leaves its results for the task to show.
fn results_file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("bench.json")
}

fn measure(workspace: &Workspace, log: &mut Log<'_>, flags: &[&str]) -> Result<(), Failure> {
    let folder = corpus::consumer(workspace, log)?;
    let script = folder.join("node.mjs");
    let source = workspace.root().join("tests/benches/node.mjs");
    fs::copy(&source, &script).doing("copying", source.display())?;

    let mut program =
        workspace.program(workspace.built(None, build::PROFILE).join("adjudicate-benches"), &[]);
    program.arg(workspace.engine()).arg(script).args(flags);
    let mut values = last_object(&log.run(program)?)?;

    let memory = workspace.program(workspace.built(None, build::PROFILE).join("memory"), &[]);
    values.extend(last_object(&log.run(memory)?)?);

    let package = folder.join("node_modules/adjudicate");
    let mut sizes = workspace.program("node", &["tests/benches/sizes.mjs"]);
    let files = [("engine", workspace.engine()), ("npm_engine", package.join("dist/engine.wasm"))];
    sizes.args(files.iter().map(|(name, file)| format!("{name}={}", file.display())));
    values.extend(last_object(&log.run(sizes)?)?);
    let tarball = workspace.npm_package();
    let bytes = fs::metadata(&tarball).doing("reading", tarball.display())?.len();
    values.insert("npm_tarball_bytes".into(), bytes.into());

    let json =
        serde_json::to_string(&values).map_err(|error| Failure::Broken(format!("the results: {error}")))?;
    write(&results_file(workspace), json)
}

/// The last line of a program's output, which is its result.
pub(crate) fn last_object(output: &str) -> Result<Values, Failure> {
    parse(output.lines().last().unwrap_or_default())
}

/// Reads results.
pub(crate) fn parse(json: &str) -> Result<Values, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::Broken(format!("the results are not numbers: {error}")))
}

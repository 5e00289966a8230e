//! `cargo xtask bench`: ratios and sizes, as a table, as JSON, and in BENCHMARKS.md.
//!
//! What is measured is the affair of `tests/benches`; here it is built, run, joined with the sizes and shown.

use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode};

use serde_json::Number;

use crate::{
    benchmarks_page,
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

/// Its run.
static MEASURE: Step = Step {
    name: "measure",
    about: "measures everything in one run",
    tools: &[Tool::Node],
    after: &["engine", "npm-package", "benches"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

/// A shorter run of it.
static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// Builds, measures and shows. With `json` stdout gets one flat object and nothing else, and no file is changed; a
/// quick run changes none either.
pub(crate) fn run(
    workspace: &Workspace,
    json: bool,
    quick: bool,
    verbose: bool,
) -> Result<ExitCode, Failure> {
    let last = if quick { &MEASURE_QUICKLY } else { &MEASURE };
    let steps = [&ENGINE, &BINDGEN, &PACKAGE, &PROGRAM, last];
    let mut progress = Progress::on_stderr(steps.len() + 1, verbose);
    let outcomes = step::run(&steps, workspace, &mut progress);
    if outcomes.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(ExitCode::FAILURE);
    }
    let file = results_file(workspace);
    let text = fs::read_to_string(&file).doing("reading", file.display())?;
    if json {
        println!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    let values = parse(&text)?;
    print!("{}", benchmarks_page::table(&values));
    if !quick {
        benchmarks_page::rewrite(&workspace.root().join("BENCHMARKS.md"), &values)?;
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
fn last_object(output: &str) -> Result<Values, Failure> {
    parse(output.lines().last().unwrap_or_default())
}

fn parse(json: &str) -> Result<Values, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::Broken(format!("the results are not numbers: {error}")))
}

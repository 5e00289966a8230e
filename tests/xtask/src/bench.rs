//! `cargo xtask bench`: ratios and sizes, as a table, as JSON, and in docs/benchmarks.md.
//!
//! `tests/benches` measures; this task builds and runs it, adds the sizes, and shows the results. For other engines, see
//! `bench_peers.rs` and, for JavaScript, `bench_js_peers.rs`; for another sandbox, `bench_extism.rs`.

use std::{fs, path::PathBuf, process::ExitCode};

use crate::{
    bench_extism, bench_js_peers, bench_peers,
    bench_report::{BenchOptions, report},
    benchmarks_page::{self, Block},
    build::{self, BINDGEN, ENGINE, PACKAGE},
    corpus,
    failure::{Doing, Failure, write},
    log::Log,
    step::{Step, Work},
    tools::Tool,
    values::last_object,
    workspace::Workspace,
};

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
        "--bin",
        "memory",
        "--profile",
        build::PROFILE,
    ]),
    ..PROGRAM
};

/// The full measurement.
static MEASURE: Step = Step {
    name: "measure",
    about: "measures everything in one run",
    tools: &[Tool::Node],
    after: &["engine", "npm-package", "benches", "memory"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

/// A shorter measurement.
static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// Builds and runs the measurement, and shows the results.
pub(crate) fn run(workspace: &Workspace, options: BenchOptions) -> Result<ExitCode, Failure> {
    if options.peers {
        return bench_peers::run(workspace, options);
    }
    if options.js_peers {
        return bench_js_peers::run(workspace, options);
    }
    if options.extism {
        return bench_extism::run(workspace, options);
    }
    let last = if options.quick { &MEASURE_QUICKLY } else { &MEASURE };
    let steps = [&ENGINE, &BINDGEN, &PACKAGE, &PROGRAM, &MEMORY, last];
    report(workspace, options, &steps, &results_file(workspace), Block::Results, |values| {
        Ok(benchmarks_page::tables(values))
    })
}

/// The file in which a run leaves its results for this task.
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

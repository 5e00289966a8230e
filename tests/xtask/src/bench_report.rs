//! The report of a run: shows the results, and writes them to docs/benchmarks.md.

use std::{fs, path::Path, process::ExitCode};

use crate::{
    benchmarks_page::{self, Block},
    failure::{Doing, Failure},
    progress::Progress,
    step::{self, Step},
    values::{Values, parse},
    workspace::Workspace,
};

/// The options of a run.
#[derive(Clone, Copy)]
pub(crate) struct BenchOptions {
    /// Print one flat object on stdout and nothing else; docs/benchmarks.md is not changed.
    pub(crate) json: bool,
    /// Measure for a shorter time; docs/benchmarks.md is not changed.
    pub(crate) quick: bool,
    /// Measure other engines instead.
    pub(crate) peers: bool,
    /// Measure other engines for JavaScript instead.
    pub(crate) js_peers: bool,
    /// Measure the engine as an Extism plugin instead.
    pub(crate) extism: bool,
    /// Print all output of the programs.
    pub(crate) verbose: bool,
}

/// Runs steps that write results to a file, and shows the results. Those of a full run are written to their block of
/// docs/benchmarks.md.
pub(crate) fn report(
    workspace: &Workspace,
    options: BenchOptions,
    steps: &[&'static Step],
    results: &Path,
    block: Block,
    tables: impl FnOnce(&Values) -> Result<String, Failure>,
) -> Result<ExitCode, Failure> {
    let progress = Progress::on_stderr(options.verbose);
    let outcomes = step::run(steps, workspace, &progress);
    if outcomes.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(ExitCode::FAILURE);
    }
    let text = fs::read_to_string(results).doing("reading", results.display())?;
    let tables = tables(&parse(&text)?)?;
    if options.json {
        println!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    print!("{tables}");
    if !options.quick {
        benchmarks_page::rewrite(&workspace.root().join("docs/benchmarks.md"), block, &tables)?;
    }
    Ok(ExitCode::SUCCESS)
}

//! The report of a run: shows the results, and writes them to BENCHMARKS.md.

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

/// Runs steps that write results to a file, shows the results, and writes those of a full run to their block of BENCHMARKS.md.
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

//! Runs validators, one after the other.

use std::{ffi::OsString, io, path::Path, time::Duration};

use adjudicate_evidence::collect::{
    Command, Interruption, OwnedConfiguration, OwnedValidator, OwnedValidatorRun,
};

use crate::{
    CollectError, Progress,
    command::{CommandProgram, End, Ended, PathBytes, Process},
    git::Trees,
    reports::{self, Found, Reports},
    system::{System, bytes},
};

/// The reason of a validator that did not run to its end.
pub(crate) const STOPPED: &str = "the run was interrupted";

/// The results of all validators.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) runs: Vec<OwnedValidatorRun>,
    /// Further logs, of validators without a run.
    pub(crate) artifacts: Vec<String>,
    pub(crate) interrupted: Option<Interruption>,
    /// The tree after all validators.
    pub(crate) tree: Option<String>,
    /// The reason if it is not known.
    pub(crate) no_tree: Option<String>,
}

/// The place of validators: the folder with the files, and that of the logs.
pub(crate) struct Place<'a> {
    /// The folder with the files that are checked.
    pub(crate) files: &'a Path,
    /// The root, which has the logs.
    pub(crate) root: &'a Path,
    /// The folder of the logs, below the root.
    pub(crate) logs: String,
    /// The end of the names in the progress.
    pub(crate) label: &'static str,
}

impl Place<'_> {
    /// Returns the path of a log, below the root.
    pub(crate) fn log(&self, name: &str, extension: &str) -> String {
        format!("{}/{name}.{extension}", self.logs)
    }

    /// Reports that a command starts.
    pub(crate) async fn started(&self, system: &System, name: &str, index: usize, count: usize) {
        system.report(Progress::Started(format!("{name}{}", self.label), index, count)).await;
    }

    /// Reports that a command ended.
    pub(crate) async fn ended(&self, system: &System, name: &str, has_passed: bool) {
        system.report(Progress::Ended(format!("{name}{}", self.label), has_passed)).await;
    }
}

/// Runs the validators of a configuration. After a stop, the others do not start.
pub(crate) async fn run_all(
    system: &System,
    place: &Place<'_>,
    configuration: &OwnedConfiguration,
    mut trees: Option<&mut Trees<'_>>,
) -> Result<Results, CollectError> {
    let mut results = Results::default();
    let mut before = match &mut trees {
        Some(trees) => trees.take().await.map(Some),
        None => Ok(None),
    };
    let count = configuration.validators.len();
    for (index, validator) in configuration.validators.iter().enumerate() {
        if results.interrupted.is_some() {
            results.runs.push(not_run(validator, STOPPED.into()));
            continue;
        }
        place.started(system, &validator.id, index, count).await;
        let (mut run, is_stopped) = run(system, place, validator, &mut results.artifacts).await?;
        if let (Some(trees), Ok(Some(start))) = (&mut trees, &before) {
            before = add_tree(trees, start, &mut run).await.map(Some);
        }
        place.ended(system, &validator.id, run.exit_code == Some(0)).await;
        results.interrupted = is_stopped.then_some(Interruption::KilledTimeout);
        results.runs.push(run);
    }
    match before {
        Ok(tree) => results.tree = tree.map(|tree| format!("git:{tree}")),
        Err(reason) => results.no_tree = Some(reason),
    }
    Ok(results)
}

/// Adds the tree on which a validator ran, and returns the tree after it.
async fn add_tree(trees: &mut Trees<'_>, start: &str, run: &mut OwnedValidatorRun) -> Result<String, String> {
    let end = trees.take().await?;
    if start == end {
        run.tree = Some(format!("git:{end}"));
    } else {
        // A validator that changed files ran on no single tree.
        run.tree = Some(format!("git:{start}..{end}"));
        run.changed = Some(trees.names(start, &end).await?);
    }
    Ok(end)
}

fn not_run(validator: &OwnedValidator, reason: String) -> OwnedValidatorRun {
    OwnedValidatorRun { id: validator.id.clone(), not_run: Some(reason), ..OwnedValidatorRun::default() }
}

/// Runs one validator. The second value is true if the host stopped it.
async fn run(
    system: &System,
    place: &Place<'_>,
    validator: &OwnedValidator,
    artifacts: &mut Vec<String>,
) -> Result<(OwnedValidatorRun, bool), CollectError> {
    let patterns = validator.reports.as_deref().unwrap_or_default();
    let before = reports::find(system, place.files, patterns).await;
    let log = place.log(&validator.id, "log");
    let output = validator.output.as_ref().map(|_| place.log(&validator.id, "out"));
    let files = streams(system, place.root, &log, output.as_deref()).await?;
    let mut process = process(place.files, validator.command(), validator.timeout_seconds(), files);
    process.folder = bytes(&place.files.join(validator.folder.as_deref().unwrap_or_default()));
    let environment = validator.environment.iter().flatten();
    process.environment = environment.map(|(name, value)| (name.clone(), OsString::from(value))).collect();
    let ended: io::Result<Ended> = system.run(process).await;
    let mut run = OwnedValidatorRun { id: validator.id.clone(), ..Default::default() };
    run.duration_ms = ended.as_ref().ok().map(|ended| ended.duration_ms);
    let end = ended.map(|ended| ended.end);
    let is_stopped = matches!(end, Ok(End::Stopped));
    match end {
        Ok(End::Exited(code)) => run.exit_code = Some(code),
        Ok(End::TimedOut) => run.timed_out = Some(true),
        Ok(End::Stopped) => run.not_run = Some(STOPPED.into()),
        Err(error) => run.not_run = Some(format!("the command cannot run: {error}")),
    }
    add_reports(system, place, patterns, &before, output.as_deref(), &mut run).await;
    // The first artifact of a validator is the one that fix instructions name.
    run.log = Some(match output {
        Some(output) => {
            artifacts.push(log);
            output
        }
        None => log,
    });
    Ok((run, is_stopped))
}

async fn add_reports(
    system: &System,
    place: &Place<'_>,
    patterns: &[String],
    before: &Found,
    output: Option<&str>,
    run: &mut OwnedValidatorRun,
) {
    let Reports { files, mut problems } = reports::read(system, place.files, patterns, before).await;
    if let Some(output) = output {
        match reports::text(system, &place.root.join(output)).await {
            Ok(text) => run.output = Some(text),
            Err(problem) => problems.push(format!("`{output}`: {problem}")),
        }
    }
    // A validator that did not end need not write reports.
    let is_ended = run.exit_code.is_some();
    run.reports = (!files.is_empty()).then_some(files);
    run.problems = (is_ended && !problems.is_empty()).then_some(problems);
}

/// Creates the files for the standard output and the standard error.
pub(crate) async fn streams(
    system: &System,
    root: &Path,
    log: &str,
    output: Option<&str>,
) -> Result<(PathBytes, PathBytes), CollectError> {
    for path in output.into_iter().chain([log]).map(|path| root.join(path)) {
        system.write(&path, Vec::new()).await.map_err(CollectError::file("write", &path))?;
    }
    let path = |path: &str| bytes(&root.join(path));
    Ok((path(output.unwrap_or(log)), path(log)))
}

/// Returns the process of a command.
pub(crate) fn process(
    folder: &Path,
    command: Command,
    timeout_seconds: u64,
    files: (PathBytes, PathBytes),
) -> Process {
    Process {
        program: match command {
            Command::Line(line) => CommandProgram::Shell(line),
            Command::Program(words) => CommandProgram::Words(words),
        },
        folder: bytes(folder),
        environment: Vec::new(),
        input: Vec::new(),
        files: Some(files),
        max_bytes: 0,
        limit: Duration::from_secs(timeout_seconds),
        is_stoppable: true,
    }
}

//! Runs validators, one after the other.

use std::{
    fs::File,
    io,
    path::Path,
    process::{Command as Process, Stdio},
    time::{Duration, Instant},
};

use adjudicate_evidence::collect::{
    Command, Interruption, OwnedConfiguration, OwnedValidator, OwnedValidatorRun,
};

use crate::{
    CollectError, Options, Progress,
    git::Trees,
    group,
    process::{self, End},
    reports::{self, Found, Reports},
    state::{RunFolder, fresh_file},
};

/// The reason of a validator that did not run to its end.
const STOPPED: &str = "the run was interrupted";

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

/// Runs the validators of a configuration. After a stop, the others do not start.
pub(crate) fn run_all(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
    mut trees: Option<&mut Trees<'_>>,
) -> Result<Results, CollectError> {
    let mut results = Results::default();
    let mut before = trees.as_mut().map(|trees| trees.take()).transpose();
    let count = configuration.validators.len();
    for (index, validator) in configuration.validators.iter().enumerate() {
        if results.interrupted.is_some() {
            results.runs.push(not_run(validator, STOPPED.into()));
            continue;
        }
        options.report(Progress::Started(&validator.id, index, count));
        let (mut run, is_stopped) = run(root, validator, options, &mut results.artifacts)?;
        if let (Some(trees), Ok(Some(start))) = (&mut trees, &before) {
            before = trees.take().and_then(|end| {
                if *start == end {
                    run.tree = Some(format!("git:{end}"));
                } else {
                    // A validator that changed files ran on no single tree.
                    run.tree = Some(format!("git:{start}..{end}"));
                    run.changed = Some(trees.names(start, &end)?);
                }
                Ok(Some(end))
            });
        }
        options.report(Progress::Ended(&validator.id, run.exit_code == Some(0)));
        results.interrupted = is_stopped.then_some(Interruption::KilledTimeout);
        results.runs.push(run);
    }
    match before {
        Ok(tree) => results.tree = tree.map(|tree| format!("git:{tree}")),
        Err(reason) => results.no_tree = Some(reason),
    }
    Ok(results)
}

fn not_run(validator: &OwnedValidator, reason: String) -> OwnedValidatorRun {
    OwnedValidatorRun { id: validator.id.clone(), not_run: Some(reason), ..OwnedValidatorRun::default() }
}

/// Runs one validator. The second value is true if the host stopped it.
fn run(
    root: &Path,
    validator: &OwnedValidator,
    options: &Options<'_>,
    artifacts: &mut Vec<String>,
) -> Result<(OwnedValidatorRun, bool), CollectError> {
    let patterns = validator.reports.as_deref().unwrap_or_default();
    let before = reports::find(root, patterns);
    let log = RunFolder::log(&validator.id, "log");
    let output = validator.output.as_ref().map(|_| RunFolder::log(&validator.id, "out"));
    let streams = streams(root, &log, output.as_deref())?;
    let started = Instant::now();
    let end = match start(root, validator, streams) {
        Ok(mut child) => {
            let limit = Duration::from_secs(validator.timeout_seconds());
            process::wait(&mut child, limit, options.stop)
        }
        Err(error) => Err(error),
    };
    let duration = u64::try_from(started.elapsed().as_millis()).ok();
    let mut run = OwnedValidatorRun { id: validator.id.clone(), duration_ms: duration, ..Default::default() };
    let is_stopped = matches!(end, Ok(End::Stopped));
    match end {
        Ok(End::Exited(status)) => run.exit_code = Some(group::exit_code(status)),
        Ok(End::TimedOut) => run.timed_out = Some(true),
        Ok(End::Stopped) => run.not_run = Some(STOPPED.into()),
        Err(error) => run.not_run = Some(format!("the command cannot run: {error}")),
    }
    add_reports(root, patterns, &before, output.as_deref(), &mut run);
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

fn add_reports(
    root: &Path,
    patterns: &[String],
    before: &Found,
    output: Option<&str>,
    run: &mut OwnedValidatorRun,
) {
    let Reports { files, mut problems } = reports::read(root, patterns, before);
    if let Some(output) = output {
        match reports::text(&root.join(output)) {
            Ok(text) => run.output = Some(text),
            Err(problem) => problems.push(format!("`{output}`: {problem}")),
        }
    }
    // A validator that did not end need not write reports.
    let is_ended = run.exit_code.is_some();
    run.reports = (!files.is_empty()).then_some(files);
    run.problems = (is_ended && !problems.is_empty()).then_some(problems);
}

/// Returns the files for the standard output and the standard error.
fn streams(root: &Path, log: &str, output: Option<&str>) -> Result<(File, File), CollectError> {
    let create = |path: &str| {
        let path = root.join(path);
        fresh_file(&path).map_err(CollectError::file("write", &path))
    };
    let errors = create(log)?;
    let output = match output {
        Some(output) => create(output)?,
        None => errors.try_clone().map_err(CollectError::file("write", &root.join(log)))?,
    };
    Ok((output, errors))
}

fn start(
    root: &Path,
    validator: &OwnedValidator,
    (output, errors): (File, File),
) -> io::Result<std::process::Child> {
    let mut process = match validator.command() {
        Command::Line(line) => shell(&line),
        Command::Program(words) => {
            let mut words = words.into_iter();
            let mut process = Process::new(words.next().unwrap_or_default());
            process.args(words);
            process
        }
    };
    process.current_dir(root.join(validator.folder.as_deref().unwrap_or_default()));
    process.envs(validator.environment.iter().flatten());
    process.stdin(Stdio::null()).stdout(output).stderr(errors);
    group::in_group(&mut process);
    process.spawn()
}

#[cfg(unix)]
fn shell(line: &str) -> Process {
    let mut process = Process::new("sh");
    process.args(["-c", line]);
    process
}

#[cfg(not(unix))]
fn shell(line: &str) -> Process {
    let mut process = Process::new("cmd");
    process.args(["/C", line]);
    process
}

//! The commands `init`, `collect`, `baseline` and `run`: from the repository in the current folder to a decision.

mod annotation;
mod baseline;
mod code_quality;
mod decision;
mod external;
mod github;
mod hints;
mod interrupt;
mod markdown;
mod needs;
#[cfg(not(target_family = "wasm"))]
mod progress;
#[cfg(target_family = "wasm")]
#[path = "../no_progress/line.rs"]
mod progress;
mod reported;
mod repository;
mod sarif;

use std::{path::PathBuf, time::Duration};

use adjudicate_collect::{CollectError, CollectOptions, Decided};
use adjudicate_core::Error;
use clap::Args;

#[cfg(all(unix, feature = "mcp"))]
pub(crate) use self::interrupt::Signals;
pub(crate) use self::{
    baseline::{Baseline, baseline},
    interrupt::Interrupt,
    needs::{Needs, NeedsReport, needs},
    repository::{Repository, error, folder},
};
use self::{
    decision::{DecisionFormat, Report},
    external::ExternalArgs,
    progress::ProgressLine,
    reported::Reported,
};
use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    output::{self, Color},
    replace,
};

/// The longest wait for another command in the same repository.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

/// Write the configuration and the policy of this repository.
#[derive(Debug, Args)]
pub(crate) struct Init {}

/// Run the validators of this repository, and print the envelope of the evidence.
#[derive(Debug, Args)]
pub(crate) struct Collect {
    #[command(flatten)]
    collection: CollectionArgs,
    #[command(flatten)]
    external: ExternalArgs,
    /// Write the envelope to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Run the validators of this repository, and decide on the evidence.
///
/// The state of the run is in `.adjudicate`, so a check that keeps failing leads to a human.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    collection: CollectionArgs,
    #[command(flatten)]
    external: ExternalArgs,
    /// The format of the decision
    #[arg(long, value_enum, default_value_t)]
    format: DecisionFormat,
    /// Write the decision to a file, too; may be given several times
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<Report>,
    /// Colors of the table
    #[arg(long, value_enum, default_value_t)]
    color: Color,
    /// End with the exit status of the decision
    #[arg(long)]
    exit_status: bool,
}

/// The arguments of a collection.
#[derive(Debug, Args)]
struct CollectionArgs {
    /// Compare with this git revision; without it, with HEAD at the first collection of the run
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// Take the configuration and its documents from this revision, if it has one
    ///
    /// For example the tip of the target branch: a change then cannot choose the rules that judge it.
    #[arg(long, value_name = "REVISION")]
    configuration_from: Option<String>,
    /// Begin a new run, and forget earlier decisions
    #[arg(long)]
    new_run: bool,
    /// Do not show the progress
    #[arg(long)]
    no_progress: bool,
}

pub(crate) fn init(_: &Init, env: &Environment) -> Result<Exit, Failure> {
    let files = adjudicate_collect::init(&folder(env)?).map_err(failure)?;
    for file in files.paths {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        output::line(env, &format!("wrote {name}"))?;
    }
    if !files.has_validators {
        output::error_line(
            env,
            "warning: no build file shows a tool, so nothing is checked; add your checks to `validators` in adjudicate.yaml",
        );
    }
    output::line(
        env,
        "\nCheck the commands in adjudicate.yaml, then decide on your change:\n\n  adjudicate run",
    )?;
    Ok(Exit::Answered)
}

pub(crate) fn collect(args: &Collect, env: &Environment) -> Result<Exit, Failure> {
    let repository = args.collection.repository(env)?;
    let external = args.external.read(&repository.root, env)?;
    let collected = args.collection.with_options(env, |options| {
        let options = &CollectOptions {
            goal_set_at: repository.goal_set_at(),
            external: external.as_ref(),
            ..*options
        };
        adjudicate_collect::collect(&repository.root, &repository.configuration, options).map_err(failure)
    })?;
    let envelope = collected.envelope.to_json();
    match &args.out {
        Some(file) => replace::report(file, &format!("{envelope}\n"), env)?,
        None => output::line(env, &envelope)?,
    }
    Ok(Exit::Answered)
}

pub(crate) fn run(args: &Run, env: &Environment) -> Result<Exit, Failure> {
    args.report.iter().try_for_each(|report| report.check(env))?;
    let repository = args.collection.repository(env)?;
    let external = args.external.read(&repository.root, env)?;
    let decided = args.collection.with_options(env, |options| {
        decide(&repository, &CollectOptions { external: external.as_ref(), ..*options }, env)
    })?;
    let reported = Reported { decided: &decided, root: &repository.root, configuration: &repository.name };
    args.report.iter().try_for_each(|report| report.write(&reported, env))?;
    decision::print(&reported, args.format, args.color, env)?;
    Ok(match args.exit_status {
        true => Exit::Decided(decided.evaluation.decision.status),
        false => Exit::Answered,
    })
}

/// Runs the validators of a repository, and decides on the evidence.
pub(crate) fn decide(
    repository: &Repository,
    options: &CollectOptions<'_>,
    env: &Environment,
) -> Result<Decided, Failure> {
    let policy = repository.policy(env)?;
    let options = CollectOptions { goal_set_at: repository.goal_set_at(), ..*options };
    adjudicate_collect::run(&repository.root, &repository.configuration, policy.as_deref(), &options)
        .map_err(failure)
}

impl CollectionArgs {
    /// Opens the repository around the current folder.
    fn repository(&self, env: &Environment) -> Result<Repository, Error> {
        let folder = folder(env)?;
        match &self.configuration_from {
            Some(revision) => Repository::open_revision(&folder, revision, env),
            None => Repository::open(&folder, env),
        }
    }

    /// Runs a collection with these options. SIGINT and SIGTERM stop its validators.
    fn with_options<T>(
        &self,
        env: &Environment,
        collect: impl FnOnce(&CollectOptions<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let interrupt = Interrupt::listen();
        let progress = ProgressLine::new(self.no_progress, env);
        let report = |one: adjudicate_collect::Progress| progress.show(one);
        let options = CollectOptions {
            base: self.base.as_deref(),
            new_run: self.new_run,
            stop: Some(interrupt.stop()),
            progress: Some(&report),
            may_run_baseline: true,
            wait: WAIT,
            ..CollectOptions::default()
        };
        collect(&options)
    }
}

fn failure(error: CollectError) -> Failure {
    repository::error(error).into()
}

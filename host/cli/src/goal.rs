//! `adjudicate goal`: sentences that become the active configuration and policy.

use std::path::{Path, PathBuf};

use adjudicate_collect::{
    CollectOptions,
    goal::{self, Given, GoalStatus},
};
use adjudicate_core::{Error, codes::Status, document::Describe, json::OwnedValue};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{
    codes,
    collect::{Repository, WAIT, error, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    layout, output,
};

/// Set the goal of the work, show it, or check whether it is met.
///
/// The sentences have fixed forms, so no model reads them. The hook of a coding agent judges the goal at the end of each turn.
#[derive(Debug, Args)]
pub(crate) struct Goal {
    /// The sentences of the goal; or `status`, `done` or `clear`
    #[arg(value_name = "SENTENCES")]
    text: String,
    /// The format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: GoalFormat,
}

/// The format of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GoalFormat {
    /// Lines for humans
    #[default]
    Text,
    /// One line
    Json,
}

/// An active goal, the answer of `adjudicate goal --format json`.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct GoalReport {
    /// The sentences.
    goal: String,
    /// The configuration.
    configuration: OwnedValue,
    /// The policy.
    policy: OwnedValue,
    /// The status of the latest decision; null before the first one.
    status: Option<Status>,
    /// True if the latest decision is about the files as they are now.
    is_current: bool,
    /// The number of decisions since the goal was set.
    rounds: u64,
}

pub(crate) fn run(args: &Goal, env: &Environment) -> Result<Exit, Failure> {
    match args.text.trim() {
        "status" => print(args.format, env),
        "done" => done(env),
        "clear" => clear("cleared", env),
        text => {
            set(text, env)?;
            print(args.format, env)
        }
    }
}

fn set(text: &str, env: &Environment) -> Result<(), Failure> {
    let here = folder(env)?;
    let (root, given) = match Repository::open_documents(&here, env) {
        Ok(repository) => {
            let given =
                Given { policy: repository.policy(env)?, configuration: Some(repository.configuration) };
            (repository.root, given)
        }
        Err(_) if adjudicate_collect::find(&here).is_none() => (top(&here), Given::default()),
        Err(error) => return Err(error.into()),
    };
    let documents = goal::draft(text, &root, &given).map_err(|error| error.within("goal"))?;
    goal::set(&root, text, documents, &options()).map_err(|failure| error(failure).into())
}

/// Returns the root of the working tree around a folder, or the folder.
fn top(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder).to_owned()
}

fn print(format: GoalFormat, env: &Environment) -> Result<Exit, Failure> {
    let GoalStatus { goal, status, is_current, rounds, .. } = current(env)?;
    let report = GoalReport {
        configuration: OwnedValue::from_json(&goal.configuration.to_json()),
        policy: OwnedValue::from_json(&goal.policy),
        goal: goal.text,
        status,
        is_current,
        rounds,
    };
    if format == GoalFormat::Json {
        output::line(env, &layout::json(&report))?;
        return Ok(Exit::Answered);
    }
    let latest = match status {
        Some(status) => {
            let rounds = format!("{rounds} {}", if rounds == 1 { "round" } else { "rounds" });
            let changed = if is_current { "" } else { "; judge the files again" };
            format!("{status} after {rounds}{changed}")
        }
        None => "not judged yet".to_owned(),
    };
    let lines = [
        format!("goal: {}", report.goal),
        format!("latest decision: {latest}"),
        format!("configuration: {}", layout::pretty(&report.configuration.to_text())),
        format!("policy: {}", layout::pretty(&report.policy.to_text())),
    ];
    output::line(env, &lines.join("\n"))?;
    Ok(Exit::Answered)
}

/// Ends a goal whose latest decision is a success, about the files as they are now.
fn done(env: &Environment) -> Result<Exit, Failure> {
    let GoalStatus { status, is_current, .. } = current(env)?;
    let reason = match status {
        Some(Status::Success) if is_current => return clear("done", env),
        Some(Status::Success) => "the files must be judged again",
        Some(status) => status.as_str(),
        None => "there is no decision",
    };
    let ways = "to judge it: `adjudicate run`; to give it up: `adjudicate goal clear`";
    output::error_line(env, &format!("the goal is not met: {reason}; {ways}"));
    Ok(Exit::Failed)
}

fn clear(end: &str, env: &Environment) -> Result<Exit, Failure> {
    if !goal::clear(&root(env)?, &options()).map_err(error)? {
        return Err(none().into());
    }
    output::line(env, &format!("the goal is {end}"))?;
    Ok(Exit::Answered)
}

fn current(env: &Environment) -> Result<GoalStatus, Error> {
    let status = goal::status(&root(env)?).map_err(error)?;
    status.ok_or_else(none)
}

fn none() -> Error {
    Error::new(codes::WRONG_USAGE, "no goal is active here; to set one: `adjudicate goal SENTENCES`")
}

/// Returns the root of the repository around the current folder.
fn root(env: &Environment) -> Result<PathBuf, Error> {
    let here = folder(env)?;
    Ok(match adjudicate_collect::find(&here) {
        Some(file) => file.parent().unwrap_or(&here).to_owned(),
        None => goal::find(&here).map_or_else(|| top(&here), ToOwned::to_owned),
    })
}

fn options() -> CollectOptions<'static> {
    CollectOptions { wait: WAIT, ..CollectOptions::default() }
}

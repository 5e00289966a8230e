//! The command `baseline`: the validators on the base revision.

use std::path::PathBuf;

use adjudicate_core::json;
use clap::Args;

use super::{CollectionArgs, Repository, failure};
use crate::{environment::Environment, exit::Exit, failure::Failure, output, replace, table::visible};

/// Run the validators on the base revision, and print their results.
///
/// The results are stored in `.adjudicate`. `adjudicate collect` and `adjudicate run` put them into the evidence of changes since this base.
#[derive(Debug, Args)]
pub(crate) struct Baseline {
    #[command(flatten)]
    collection: CollectionArgs,
    /// Run the validators, even if their results on this base are stored
    #[arg(long)]
    again: bool,
    /// Write the results to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn baseline(args: &Baseline, env: &Environment) -> Result<Exit, Failure> {
    let repository = args.collection.repository(env)?;
    let stored = args.collection.with_options(env, |options| {
        let Repository { root, configuration, .. } = &repository;
        adjudicate_collect::baseline(root, configuration, args.again, options).map_err(failure)
    })?;
    for problem in stored.problems.iter().flatten() {
        output::error_line(env, &format!("uncollected: {}: {}", problem.what, problem.reason));
    }
    let without_cases = repository.configuration.validators.iter().filter(|validator| {
        validator.reports.as_deref().unwrap_or_default().is_empty() && validator.output.is_none()
    });
    for validator in without_cases {
        let hint = format!(
            "warning: `{}` has neither `reports` nor `output`, so the baseline can excuse none of its failures",
            visible(&validator.id)
        );
        output::error_line(env, &hint);
    }
    let results = json::write(&stored.baseline);
    match &args.out {
        Some(file) => replace::report(file, &format!("{results}\n"), env)?,
        None => output::line(env, &results)?,
    }
    Ok(Exit::Answered)
}

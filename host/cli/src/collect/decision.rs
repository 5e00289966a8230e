//! The formats of a decision on a repository, and the files that it is written to.

use std::{fs, io, path::PathBuf, str::FromStr};

use adjudicate_core::Error;
use anstream::adapter::strip_str;
use clap::ValueEnum;

use super::{code_quality, github, hints::for_collection, markdown, reported::Reported, sarif};
use crate::{
    environment::Environment,
    failure::Failure,
    layout,
    output::{self, Color, Format, WIDTH},
    replace,
    table::{self, visible},
};

/// The format of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DecisionFormat {
    /// Text in columns, for a terminal
    #[default]
    Table,
    /// The evaluation as JSON on one line
    Json,
    /// The evaluation as JSON, two spaces of indentation
    Pretty,
    /// Markdown, for a comment or a job summary
    Markdown,
    /// A SARIF log, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions, which annotate files
    Github,
    /// A code quality report of GitLab
    Codequality,
    /// Lines with `status` and `next_step`, for the outputs of a CI job
    Dotenv,
}

/// Prints the decision on standard output.
pub(super) fn print(
    reported: &Reported<'_>,
    format: DecisionFormat,
    color: Color,
    env: &Environment,
) -> Result<(), Failure> {
    match format {
        DecisionFormat::Table => {
            let page = || Ok(table::evaluation(&for_collection(&reported.decided.evaluation)));
            output::answer(env, "", Format::Table, color, page)
        }
        other => output::text(env, &text(reported, other)?),
    }
}

/// Returns the decision as a text. The table has no colors and the usual width.
fn text(reported: &Reported<'_>, format: DecisionFormat) -> Result<String, Error> {
    let json = || reported.decided.evaluation.to_json();
    Ok(match format {
        DecisionFormat::Table => {
            strip_str(&table::evaluation(&for_collection(&reported.decided.evaluation)).render(WIDTH))
                .to_string()
        }
        DecisionFormat::Json => layout::compact(&json()) + "\n",
        DecisionFormat::Pretty => layout::pretty(&json()) + "\n",
        DecisionFormat::Markdown => markdown::decision(&for_collection(&reported.decided.evaluation)),
        DecisionFormat::Sarif => sarif::log(reported),
        DecisionFormat::Github => github::commands(reported),
        DecisionFormat::Codequality => code_quality::report(reported),
        DecisionFormat::Dotenv => variables(reported),
    })
}

/// Returns the status and the next step as variables. Without its control characters, a step cannot begin another variable.
fn variables(reported: &Reported<'_>) -> String {
    let decision = &reported.decided.evaluation.decision;
    let step = visible(decision.next_step.as_deref().unwrap_or_default());
    format!("status={}\nnext_step={step}\n", decision.status)
}

/// A file that gets the decision, `FORMAT=FILE`.
#[derive(Clone, Debug)]
pub(super) struct Report {
    format: DecisionFormat,
    file: PathBuf,
}

impl FromStr for Report {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, file) = text.split_once('=').ok_or("it is not FORMAT=FILE")?;
        if file.is_empty() {
            return Err("the file is missing".into());
        }
        let format = DecisionFormat::from_str(format, false).map_err(|_| {
            let names = DecisionFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names: Vec<_> = names.map(|value| value.get_name().to_owned()).collect();
            format!("the formats are {}", names.join(", "))
        })?;
        Ok(Self { format, file: file.into() })
    }
}

impl Report {
    /// Refuses a folder, before validators run.
    pub(super) fn check(&self, env: &Environment) -> Result<(), Error> {
        match env.path(&self.file).is_dir() {
            true => Err(output::unwritable(&self.file, io::ErrorKind::IsADirectory.into())),
            false => Ok(()),
        }
    }

    /// Writes the decision, and creates the folder of the file.
    pub(super) fn write(&self, reported: &Reported<'_>, env: &Environment) -> Result<(), Error> {
        if let Some(folder) = env.path(&self.file).parent() {
            fs::create_dir_all(folder).map_err(|error| output::unwritable(&self.file, error))?;
        }
        replace::report(&self.file, &text(reported, self.format)?, env)
    }
}

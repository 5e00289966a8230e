//! The configuration of a repository, `adjudicate.yaml`.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{
    Error,
    document::{Document, Id, Notes},
    evaluate::{OwnedPromptReference, PromptReference, Role},
    json::{OwnedValue, shorten},
    order::SortedMap,
    paths::Pattern,
};

use super::repro::quote;
use crate::{Format, codes};

/// The time limit of a validator that sets none, in seconds.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 600;

/// The longest time limit of a validator, in seconds: a day.
const MAX_TIMEOUT_SECONDS: u64 = 86_400;

/// The most characters of a validator's id, which is a part of the name of its log.
const MAX_ID_CHARACTERS: usize = 100;

/// The workflow, the validators and the other evidence of a repository, as `adjudicate.yaml` declares them.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a configuration object", check = "Self::check")]
pub struct Configuration<'a> {
    /// The workflow that a run follows, for example `feature`. It becomes the `workflow_id` of envelopes.
    #[document(described = "Id<'a>")]
    pub workflow: &'a str,
    /// The prompt of the EVALUATE step. Without it, the prompt is `WORKFLOW.v1`.
    pub evaluate_prompt: Option<PromptReference<'a>>,
    /// The steps that may come next, in order of preference.
    pub next_steps: Vec<NextStep<'a>>,
    /// The validators, in the order in which they run. Each needs a result.
    pub validators: Vec<Validator<'a>>,
    /// The path of a policy document below the root, for example `adjudicate.policy.yaml`.
    pub policy: Option<&'a str>,
    /// The path of a list of guardrails below the root, for example `guardrails.json`. Hooks of coding agents judge tool calls by them.
    pub guardrails: Option<&'a str>,
    /// The git revision to compare with. Without it, this is `HEAD` at the first collection of a run.
    pub base: Option<&'a str>,
    /// The path of a file with the claims of the agent, in the format of a transcript summary. The file may be absent.
    pub claims: Option<&'a str>,
    /// The path of a review: a SARIF log, or a JSON object with `artifact_ref` and `issues`. The file may be absent.
    pub review: Option<&'a str>,
    /// Patterns of files that become artifacts.
    #[serde(default)]
    pub artifacts: Vec<Pattern<'a>>,
    /// Paths or patterns that must be among the artifacts.
    #[serde(default)]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Patterns of files that validators may create, for example `coverage/`. They are no part of the tree that is judged.
    #[serde(default)]
    pub tree_ignore: Vec<Pattern<'a>>,
    /// The validators also run on the base revision, once for each base and configuration. With this field, even if it is an empty
    /// object, each collection needs their results.
    pub baseline: Option<BaselineSettings<'a>>,
}

/// The way in which validators run on the base revision.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a baseline object", check = "Self::check")]
pub struct BaselineSettings<'a> {
    /// A command that runs before the validators in the folder with the base revision, for example `npm ci`. Files that git does not
    /// have are absent there.
    pub setup: Option<Notes<'a>>,
    /// The time limit of the setup in seconds, from 1 to 86,400.
    #[document(default = DEFAULT_TIMEOUT_SECONDS)]
    pub timeout_seconds: u64,
}

impl BaselineSettings<'_> {
    fn check(&self) -> Result<(), Error> {
        self.setup.as_ref().map_or(Ok(()), |setup| check_command("setup", setup))?;
        check_timeout(self.timeout_seconds)
    }
}

/// A step that may come next.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "an object with `id` and `role`")]
pub struct NextStep<'a> {
    /// The id of the step, for example `open_pull_request`.
    #[document(described = "Id<'a>")]
    pub id: &'a str,
    /// The role of the step.
    pub role: Role,
}

/// A command that checks the work, and the reports that it writes.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a validator object", check = "Self::check")]
pub struct Validator<'a> {
    /// The id, of at most 100 letters, digits, `.`, `-` and `_`, a letter or digit first, for example `unit`. The log is named after
    /// it.
    #[document(schema = r#"{"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"}"#)]
    pub id: &'a str,
    /// The command: a string is a line for the shell, an array is a program with its arguments.
    pub run: Notes<'a>,
    /// The time limit in seconds, from 1 to 86,400.
    #[document(default = DEFAULT_TIMEOUT_SECONDS)]
    pub timeout_seconds: u64,
    /// Patterns of the report files that the command writes. Each must match at least one file.
    #[serde(default)]
    pub reports: Vec<Pattern<'a>>,
    /// The format of the standard output, if the standard output is a report, for example `go-test`.
    #[document(described = "Format")]
    pub output: Option<&'a str>,
    /// The format of the report files. Without it, the content decides.
    #[document(described = "Format")]
    pub format: Option<&'a str>,
    /// The command that runs one case again, for example `npx vitest -t {case}`. `{case}`, `{file}` and `{line}` are replaced by
    /// the quoted values of the case. Without a template, the command is that of the validator.
    pub repro: Option<&'a str>,
    /// The folder below the root in which the command runs.
    pub folder: Option<&'a str>,
    /// Environment variables of the command.
    #[serde(default)]
    pub environment: SortedMap<&'a str, &'a str>,
}

impl Configuration<'_> {
    fn check(&self) -> Result<(), Error> {
        if self.workflow.is_empty() {
            return Err(invalid("workflow", "expected a string that is not empty".into()));
        }
        distinct("next_steps", self.next_steps.iter().map(|step| step.id))?;
        distinct("validators", self.validators.iter().map(|validator| validator.id))
    }
}

/// Checks that no two items of a list have one id.
fn distinct<'a>(list: &str, ids: impl Iterator<Item = &'a str> + Clone) -> Result<(), Error> {
    let mut known = alloc::collections::BTreeSet::new();
    for (index, id) in ids.enumerate() {
        if !known.insert(id) {
            return Err(invalid(&format!("{list}/{index}/id"), format!("`{}` is a duplicate", shorten(id))));
        }
    }
    Ok(())
}

impl Validator<'_> {
    fn check(&self) -> Result<(), Error> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let begins = self.id.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !begins || !self.id.bytes().all(is_known) || self.id.len() > MAX_ID_CHARACTERS {
            let message = format!(
                "expected at most {MAX_ID_CHARACTERS} letters, digits, `.`, `-` and `_`, and a letter or digit first, found `{}`",
                shorten(self.id)
            );
            return Err(invalid("id", message));
        }
        check_command("run", &self.run)?;
        check_timeout(self.timeout_seconds)?;
        for (field, format) in [("output", self.output), ("format", self.format)] {
            if let Some(format) = format {
                Format::parse(format).map_err(|error| error.at(format!("/{field}")))?;
            }
        }
        Ok(())
    }
}

fn check_command(field: &str, words: &Notes<'_>) -> Result<(), Error> {
    match words.0.first().is_none_or(|program| program.trim().is_empty()) {
        true => Err(invalid(field, "expected a command".into())),
        false => Ok(()),
    }
}

fn check_timeout(seconds: u64) -> Result<(), Error> {
    match (1..=MAX_TIMEOUT_SECONDS).contains(&seconds) {
        true => Ok(()),
        false => {
            let message = format!("expected an integer from 1 to {MAX_TIMEOUT_SECONDS}, found `{seconds}`");
            Err(invalid("timeout_seconds", message))
        }
    }
}

#[cold]
fn invalid(field: &str, message: String) -> Error {
    Error::new(codes::INVALID_VALUE, message).at(format!("/{field}"))
}

/// The command of a validator, or of a setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A line for the shell.
    Line(String),
    /// A program with its arguments.
    Program(Vec<String>),
}

impl Command {
    /// Reads a line for the shell, or a list of words.
    fn new(value: &OwnedValue) -> Self {
        let text = |value: &OwnedValue| value.as_str().unwrap_or_default().into();
        match value {
            OwnedValue::List(words) => Self::Program(words.iter().map(text).collect()),
            line => Self::Line(text(line)),
        }
    }

    /// Returns the command as a line for the shell.
    #[must_use]
    pub fn to_line(&self) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Program(words) => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
        }
    }
}

impl OwnedConfiguration {
    /// Returns the prompt of the EVALUATE step.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.evaluate_prompt.clone().unwrap_or_else(|| format!("{}.v1", self.workflow))
    }
}

impl OwnedBaselineSettings {
    /// Returns the command that runs before the validators.
    #[must_use]
    pub fn setup(&self) -> Option<Command> {
        self.setup.as_ref().map(Command::new)
    }

    /// Returns the time limit of the setup in seconds.
    #[must_use]
    pub fn timeout_seconds(&self) -> u64 {
        self.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS)
    }
}

impl OwnedValidator {
    /// Returns the command.
    ///
    /// ```
    /// use adjudicate_evidence::collect::{Command, OwnedValidator};
    /// let validator = OwnedValidator::from_json(br#"{"id": "lint", "run": ["npx", "eslint", "my src"]}"#)?;
    /// assert_eq!(validator.command().to_line(), "npx eslint 'my src'");
    /// assert_eq!(validator.timeout_seconds(), 600);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn command(&self) -> Command {
        Command::new(&self.run)
    }

    /// Returns the time limit in seconds.
    #[must_use]
    pub fn timeout_seconds(&self) -> u64 {
        self.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS)
    }
}

//! `adjudicate explain --code`: the meaning of a code, and its section of the reference.
//!
//! `texts.json` is generated from the tables of codes and the pages of `docs/reference`.

use std::fmt::Write as _;

use adjudicate_core::{Error, json::unknown};
use serde::Deserialize;

use crate::{codes, environment::Environment, exit::Exit, failure::Failure, output};

const TEXTS: &str = include_str!("texts.json");

/// The address of the files of the repository.
const REPOSITORY: &str = "https://github.com/OWNER/adjudicate/blob/main/";

/// A code with its texts.
#[derive(Deserialize)]
struct Explained {
    /// The kind of code: `rule`, `error`, `check` or `diagnostic`.
    kind: String,
    code: String,
    /// The flag and the blocker of a rule, if they have other names.
    also: Vec<String>,
    meaning: String,
    /// The section of the page, in Markdown.
    text: String,
    /// The way to resolve a finding or an error; empty if the text has it.
    fix: String,
    /// The path of the page with its anchor, from the root of the repository.
    address: String,
}

impl Explained {
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.code).chain(&self.also).map(String::as_str)
    }

    fn text(&self) -> String {
        let Self { kind, code, meaning, text, fix, address, .. } = self;
        let kind = match kind.as_str() {
            "check" => "finding of `check`",
            "diagnostic" => "diagnostic of a plan",
            kind => kind,
        };
        let mut out = format!("{code} ({kind}): {meaning}\n");
        if !text.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n{}\n", text.trim_end());
        }
        if !fix.is_empty() {
            let _ = write!(out, "\nTo resolve it: {fix}\n");
        }
        let _ = write!(out, "\n{REPOSITORY}{address}\n");
        out
    }
}

/// Prints each meaning of a code: a rule and an error may have the same.
pub(crate) fn print(code: &str, env: &Environment) -> Result<Exit, Failure> {
    let all: Vec<Explained> = serde_json::from_str(TEXTS)
        .map_err(|error| Error::caused_by(codes::HOST_FAULT, "the texts of codes are broken", error))?;
    let found: Vec<String> =
        all.iter().filter(|one| one.names().any(|name| name == code)).map(Explained::text).collect();
    if found.is_empty() {
        let names: Vec<&str> = all.iter().flat_map(Explained::names).collect();
        return Err(Error::new(codes::WRONG_USAGE, unknown("code", code, &names)).into());
    }
    output::text(env, &found.join("\n"))?;
    Ok(Exit::Answered)
}

//! The messages for errors of the command line, in the form of all errors: one line, the user's input in backticks.

use std::{error::Error as _, num::ParseIntError};

use adjudicate_core::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::codes;

/// Returns the message for an error of the argument parser.
pub(crate) fn message(error: &clap::Error) -> String {
    let names = |kind| listed(&texts(error, kind), "and");
    let argument = names(ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::UnknownArgument => format!("unknown argument {argument}{}", suggestion(error)),
        ErrorKind::InvalidSubcommand => {
            format!("unknown command {}{}", names(ContextKind::InvalidSubcommand), suggestion(error))
        }
        ErrorKind::MissingRequiredArgument => format!("missing argument {argument}"),
        ErrorKind::ArgumentConflict => match names(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => format!("{argument} is given twice"),
            prior => format!("{argument} cannot be used with {prior}"),
        },
        ErrorKind::InvalidValue => invalid_value(error, &argument),
        ErrorKind::ValueValidation => format!("{argument}: {}", reason(error)),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "missing command; `adjudicate --help` lists all".to_owned()
        }
        // The other messages of the parser contain no user input.
        other => match (other.as_str(), argument.is_empty()) {
            (Some(message), true) => message.to_owned(),
            (Some(message), false) => format!("{argument}: {message}"),
            (None, _) => "the command line does not have the documented form".to_owned(),
        },
    }
}

/// Returns the error for a command or an option that this build leaves out.
pub(crate) fn left_out(name: &str) -> Error {
    let message = format!(
        "this build leaves out {name}: install the native command, as docs/start/install.md describes"
    );
    Error::new(codes::WRONG_USAGE, message)
}

fn invalid_value(error: &clap::Error, argument: &str) -> String {
    let valid = listed(&texts(error, ContextKind::ValidValue), "or");
    let expected = if valid.is_empty() { String::new() } else { format!(", expected {valid}") };
    match texts(error, ContextKind::InvalidValue).as_slice() {
        [] | [""] => format!("{argument} needs a value{expected}"),
        values => format!("{argument} cannot be {}{expected}{}", listed(values, "or"), suggestion(error)),
    }
}

/// Returns the reason for which the value's parser rejected it.
fn reason(error: &clap::Error) -> String {
    let value = listed(&texts(error, ContextKind::InvalidValue), "or");
    match error.source() {
        // The messages of this project's errors name the value.
        Some(source) => match source.downcast_ref::<adjudicate_core::Error>() {
            Some(ours) => ours.message().to_owned(),
            None if source.is::<ParseIntError>() => format!("{value} is no whole number"),
            None => format!("{value} is invalid: {source}"),
        },
        None => format!("{value} is invalid"),
    }
}

fn suggestion(error: &clap::Error) -> String {
    let kinds = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let suggested: Vec<_> = kinds.into_iter().flat_map(|kind| texts(error, kind)).collect();
    match suggested.is_empty() {
        true => String::new(),
        false => format!(", did you mean {}?", listed(&suggested, "or")),
    }
}

/// Returns the texts that the parser stores under a kind of context.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text],
        Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns a list such as `` `a`, `b` or `c` ``.
fn listed(texts: &[&str], last: &str) -> String {
    let mut list = String::new();
    for (index, text) in texts.iter().enumerate() {
        match index {
            0 => {}
            _ if index + 1 == texts.len() => list.push_str(&format!(" {last} ")),
            _ => list.push_str(", "),
        }
        list.push_str(&format!("`{text}`"));
    }
    list
}

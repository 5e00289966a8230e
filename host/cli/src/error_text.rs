//! The text of an error on a terminal: a message, and an excerpt of the document at fault.

use std::ffi::OsString;

use adjudicate_core::{
    codes::Subject,
    json::{self, ReadLimits},
};
use adjudicate_trust::{CallError, ErrorPart};
use clap::ValueEnum;

use crate::{
    codes,
    environment::Environment,
    excerpt::{AnnotatedDocument, Diagnostic, locate, stated_position},
    input::{self, InputFormat, Source},
    output::Format,
    read_documents::{ReadDocument, ReadText},
};

/// Returns whether arguments ask for JSON, so that errors are JSON on a terminal, too.
pub(crate) fn asks_for_json(arguments: &[OsString]) -> bool {
    let is_json = |value: &str| Format::from_str(value, false).is_ok_and(Format::is_json);
    let mut arguments = arguments.iter().map(|argument| argument.to_str().unwrap_or_default()).peekable();
    while let Some(argument) = arguments.next() {
        let value = if argument == "--format" {
            arguments.peek().copied()
        } else {
            argument.strip_prefix("--format=")
        };
        if value.is_some_and(is_json) {
            return true;
        }
    }
    false
}

/// Returns an error as text with ANSI styles. Excerpts are at most `width` columns wide.
pub(crate) fn error_text(error: &CallError, width: usize, env: &Environment) -> String {
    let mut text = String::new();
    for part in error.parts() {
        let is_of_document = error.subject() == Subject::Input;
        let annotated = if is_of_document { located(&part, env) } else { None };
        annotated.unwrap_or_else(|| plain(&part)).write(width, &mut text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the error without a document.
fn plain(part: &ErrorPart) -> AnnotatedDocument {
    let mut diagnostic = Diagnostic::error(&part.code, &part.message, &part.path);
    diagnostic.message = match part.path.as_str() {
        "" => part.message.clone(),
        path => format!("{} at `{path}`", part.message),
    };
    AnnotatedDocument { name: String::new(), text: String::new(), diagnostics: vec![diagnostic] }
}

/// Returns the error with the document at fault, if the run has read it and a part of it is at fault.
fn located(part: &ErrorPart, env: &Environment) -> Option<AnnotatedDocument> {
    let (name, message) = match part.message.split_once(": ") {
        Some((name, message)) if env.documents.named(name).is_some() => (name, message),
        _ => ("", part.message.as_str()),
    };
    let ReadDocument { is_yaml, text, .. } = env.documents.named(name)?;
    let source = match &text {
        ReadText::File(path) => Source::File(path.clone()),
        ReadText::Stdin(_) => Source::Stdin,
    };
    let text = match text {
        ReadText::File(_) => source.text(env).ok()?,
        ReadText::Stdin(text) => text,
    };
    let text = String::from_utf8(text).ok()?;
    let format = if is_yaml { InputFormat::Yaml } else { InputFormat::Json };
    let mut diagnostics = vec![Diagnostic::error(&part.code, message, &part.path)];
    let [diagnostic] = diagnostics.as_mut_slice() else { return None };
    let is_in_text = stated_position(message).is_some();
    if !is_in_text && part.path.is_empty() && part.code != codes::INVALID_VALUE.as_str() {
        return None;
    }
    if !is_in_text && name.is_empty() {
        diagnostic.path = path_in_call(message, &part.path, &text, format)?;
    }
    locate(&text, format, &mut diagnostics);
    Some(AnnotatedDocument { name: source.name(), text, diagnostics })
}

/// Returns the path of an error in the text of a call. Paths about an envelope or a policy begin inside of it, also if it is a field
/// of the call.
fn path_in_call(message: &str, path: &str, text: &str, format: InputFormat) -> Option<String> {
    let call = input::to_json(text.into(), format).ok()?;
    let call = json::read(&call, ReadLimits::DOCUMENT).ok()?;
    let has = |name: &str| call.root().member(name).is_some();
    let named = message.split_once(": ").map(|(name, _)| name).filter(|name| has(name));
    let is_in_envelope = || has("envelope") && !path.split('/').nth(1).is_some_and(has);
    let field = named.or_else(|| is_in_envelope().then_some("envelope"));
    Some(field.map_or_else(|| path.to_owned(), |field| format!("/{field}{path}")))
}

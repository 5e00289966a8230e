//! The text of an error on a terminal: a message, and an excerpt of the document at fault.

use std::ffi::OsString;

use adjudicate_core::{
    codes::Subject,
    json::{self, Limits},
};
use adjudicate_sandbox::CallError;
use clap::ValueEnum;
use serde::Deserialize;

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
    for part in parts(error) {
        let is_of_document = error.subject() == Subject::Input;
        let located = if is_of_document { part.located(env) } else { None };
        located.unwrap_or_else(|| part.plain()).write(width, &mut text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// One of the errors that are reported together, as every interface prints it.
#[derive(Deserialize)]
struct ErrorPart {
    code: String,
    message: String,
    path: String,
    #[serde(default)]
    others: Vec<Self>,
}

#[derive(Deserialize)]
struct ErrorReply {
    error: ErrorPart,
}

/// Returns the errors that are reported together.
fn parts(error: &CallError) -> Vec<ErrorPart> {
    // The text of a module may have fields that are not read here.
    let mut first = match serde_json::from_str::<ErrorReply>(&error.to_json()) {
        Ok(reply) => reply.error,
        Err(_) => ErrorPart {
            code: error.code().to_owned(),
            message: error.message().to_owned(),
            path: error.path().to_owned(),
            others: Vec::new(),
        },
    };
    let others = std::mem::take(&mut first.others);
    std::iter::once(first).chain(others).collect()
}

impl ErrorPart {
    /// Returns the error without a document.
    fn plain(&self) -> AnnotatedDocument {
        let mut diagnostic = Diagnostic::error(&self.code, &self.message, &self.path);
        diagnostic.message = match self.path.as_str() {
            "" => self.message.clone(),
            path => format!("{} at `{path}`", self.message),
        };
        AnnotatedDocument { name: String::new(), text: String::new(), diagnostics: vec![diagnostic] }
    }

    /// Returns the error with the document at fault, if the run has read it and a part of it is at fault.
    fn located(&self, env: &Environment) -> Option<AnnotatedDocument> {
        let (name, message) = match self.message.split_once(": ") {
            Some((name, message)) if env.documents.named(name).is_some() => (name, message),
            _ => ("", self.message.as_str()),
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
        let mut diagnostics = vec![Diagnostic::error(&self.code, message, &self.path)];
        let [diagnostic] = diagnostics.as_mut_slice() else { return None };
        let is_in_text = stated_position(message).is_some();
        if !is_in_text && self.path.is_empty() && self.code != codes::INVALID_VALUE.as_str() {
            return None;
        }
        if !is_in_text && name.is_empty() {
            diagnostic.path = path_in_call(message, &self.path, &text, format)?;
        }
        locate(&text, format, &mut diagnostics);
        Some(AnnotatedDocument { name: source.name(), text, diagnostics })
    }
}

/// Returns the path of an error in the text of a call. Paths about an envelope or a policy begin inside of it, also if it is a field
/// of the call.
fn path_in_call(message: &str, path: &str, text: &str, format: InputFormat) -> Option<String> {
    let call = input::to_json(text.into(), format).ok()?;
    let call = json::read(&call, Limits::DOCUMENT).ok()?;
    let has = |name: &str| call.root().member(name).is_some();
    let named = message.split_once(": ").map(|(name, _)| name).filter(|name| has(name));
    let is_in_envelope = || has("envelope") && !path.split('/').nth(1).is_some_and(has);
    let field = named.or_else(|| is_in_envelope().then_some("envelope"));
    Some(field.map_or_else(|| path.to_owned(), |field| format!("/{field}{path}")))
}

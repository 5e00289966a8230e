//! The parts that all output contracts share (docs/reference/modules.md).
//!
//! Reads answers, and checks that a next step is allowed by the input.
//!
//! No contract checks that an answer follows from the evidence, because other engines may have other rules.

use alloc::{borrow::Cow, format};

use adjudicate_lang::{
    Error,
    document::{self, Document},
    json::{Kind, Node},
};

use crate::codes;

/// Reads an answer of the shape `T`.
///
/// # Errors
///
/// [`codes::MODULE_INVALID_DECISION`] with the path of the field at fault in the answer.
pub(crate) fn decode<'t, T: Document<'t>>(answer: Node<'t>) -> Result<T, Error> {
    document::read(answer).map_err(breach_of)
}

/// Turns a read error of an answer into a breach of its contract.
fn breach_of(error: Error) -> Error {
    if error.code() == codes::MODULE_INVALID_DECISION {
        return error;
    }
    let message = format!("{} ({})", error.message(), error.code());
    breach(error.path(), message)
}

/// Checks that the next step of an answer, `step` at `path`, is one that the input of the call allows.
///
/// # Errors
///
/// [`codes::MODULE_ILLEGAL_NEXT_STEP`] if it is not. [`codes::MODULE_INVALID_DECISION`] if the input has no list of steps,
/// because such a call has no answer.
pub(crate) fn check_step(input: Node<'_>, step: Option<&str>, path: &str) -> Result<(), Error> {
    let Some(allowed) = allowed_next_steps(input) else {
        let message = "the module answered an input without a list `allowed_next_steps`; expected an error";
        return Err(breach("", message));
    };
    match step {
        Some(step) if !allowed.items().any(|item| item.as_str() == Some(step)) => {
            let message = format!("`{step}` is not one of the allowed next steps");
            Err(Error::new(codes::MODULE_ILLEGAL_NEXT_STEP, message).at(path))
        }
        _ => Ok(()),
    }
}

/// The error for an answer to a call that cannot be read.
///
/// The path is that of the whole answer, because the error's own path points into the call.
pub(crate) fn unanswerable(error: Error) -> Error {
    breach("", format!("the module answered an invalid input; expected an error ({})", error.message()))
}

/// The error for an answer that breaks its contract.
pub(crate) fn breach(path: &str, message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(codes::MODULE_INVALID_DECISION, message).at(path)
}

/// The list of steps that an input allows, if it has one.
fn allowed_next_steps(input: Node<'_>) -> Option<Node<'_>> {
    let envelope = input.member("envelope").unwrap_or(input);
    envelope.member("allowed_next_steps").filter(|steps| steps.kind() == Kind::Array)
}

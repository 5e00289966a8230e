//! The output contract: what an answer must be, whoever made it (SPEC sections 3.6 and 13.1).
//!
//! Owns what the contracts of all operations share: how shapes are declared and read, and that a next step is one that
//! the input allows. The shapes themselves stand beside the answers that they describe.
//!
//! That an answer follows from the evidence is not part of any contract: other engines may have other rules.

use alloc::{borrow::Cow, format};

use adjudicate_lang::{
    Error,
    json::{Kind, Node},
};
use serde::Deserialize;

/// Declares objects whose shape is checked.
macro_rules! shapes {
    ($($expecting:literal $name:ident { $($field:ident: $type:ty $(= $default:ident)?),+ $(,)? })+) => { $(
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields, expecting = $expecting, bound(deserialize = "'de: 'a"))]
        #[allow(dead_code, reason = "of some only the shape matters")]
        pub(crate) struct $name<'a> {
            $($(#[serde($default)])? pub(crate) $field: $type,)+
            #[serde(skip)]
            lifetime: core::marker::PhantomData<&'a ()>,
        }
    )+ };
}
pub(crate) use shapes;

use crate::codes;

/// Reads an answer of the shape `T`.
///
/// # Errors
///
/// [`codes::MODULE_INVALID_DECISION`] with the path of the member at fault in the answer.
pub(crate) fn decode<'t, T: Deserialize<'t>>(answer: Node<'t>) -> Result<T, Error> {
    answer.decode().map_err(breach_of)
}

/// The error for an answer whose reading failed like that.
pub(crate) fn breach_of(error: Error) -> Error {
    if error.code() == codes::MODULE_INVALID_DECISION {
        return error;
    }
    let message = format!("{} ({})", error.message(), error.code().as_str());
    breach(error.path(), message)
}

/// Checks that the next step of an answer, `step` at `path`, is one that the input of the call allows.
///
/// # Errors
///
/// [`codes::MODULE_ILLEGAL_NEXT_STEP`] if it is not; [`codes::MODULE_INVALID_DECISION`] if the input has no list of
/// steps, so that there can be no answer.
pub(crate) fn check_step(input: Node<'_>, step: Option<&str>, path: &str) -> Result<(), Error> {
    let Some(allowed) = allowed_next_steps(input) else {
        let message =
            "the module answered an input without a list `allowed_next_steps`, to which there is no answer";
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

/// The error for an answer to a call that has none, for it cannot be read like that.
///
/// The path is that of the whole answer: the error's own is one in the call.
pub(crate) fn unanswerable(error: Error) -> Error {
    breach("", format!("the module answered an input to which there is no answer ({})", error.message()))
}

/// The error for an answer that is not what it must be.
pub(crate) fn breach(path: &str, message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(codes::MODULE_INVALID_DECISION, message).at(path)
}

/// The list of steps that an input allows, if it has one.
fn allowed_next_steps(input: Node<'_>) -> Option<Node<'_>> {
    let envelope = input.member("envelope").unwrap_or(input);
    envelope.member("allowed_next_steps").filter(|steps| steps.kind() == Kind::Array)
}

//! The call of `normalize_plan`.

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, missing, optional, read_document, read_tag, required},
    },
};

use super::{Format, HashMode, Normalized, normalize};
use crate::{bounds, codes};

const CALL: &[Field] = &[
    optional("format", Form::Word(Format::WORDS)),
    required("plan", Form::Any),
    optional("hash_mode", Form::Word(HashMode::WORDS)),
];

/// Normalises the plan of `{"format"?, "plan", "hash_mode"?}` (SPEC sections 9 and 18.5):
/// `{"plan", "plan_hash", "adapter", "plan_start", "quality"}`.
///
/// `format` is `adjutant`, `autopilot`, `plan_graph` or `planir`, and detected where it is absent; `hash_mode` is `canonical` or
/// `serde_f32_compat`.
///
/// # Errors
///
/// A `format` that is none, and then the first in document order, with a pointer that begins at the call; what refers to other
/// steps is looked at when all of the plan has been read.
///
/// ```
/// use adjudicate_core::{ir::normalize_text, json::{self, Limits}};
/// let call = br#"{"plan": {"implementation_steps": "- add a flag\n- document it", "estimated_complexity": "easy"}}"#;
/// let tape = json::read(call, Limits::DOCUMENT)?;
/// let answer = normalize_text(tape.root())?;
/// assert!(answer.starts_with(concat!(
///     r#"{"plan":{"analysis":"","steps":[{"id":"step-1","description":"add a flag","intent":"modify","#,
///     r#""target_files":[],"depends_on":[],"max_iterations":3},{"id":"step-2","description":"document it""#,
/// )));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn normalize_text(call: Node<'_>) -> Result<String, Error> {
    let (normalized, mode) = normalize_call(call)?;
    bounds::checked(normalized.to_json(mode))
}

/// Forms that ADR-0009 names and nothing describes.
const UNPUBLISHED: &[&str] = &["rlm", "frlm"];

/// Normalises the plan of a call.
pub(super) fn normalize_call(call: Node<'_>) -> Result<(Normalized<'_>, HashMode), Error> {
    // It says what the plan is to be read as, wherever it stands.
    let format = match call.member("format") {
        Some(format) if format.as_str().is_some_and(|format| UNPUBLISHED.contains(&format)) => {
            let message =
                "the form of RLM and FRLM plans is not published; plans as PlanIR or subtasks are read";
            return Err(Error::new(codes::INVALID_VALUE, message).under("format"));
        }
        Some(_) => Format::ALL.get(read_tag(call, "format", Format::WORDS)?).copied(),
        None => None,
    };
    let (mut normalized, mut mode) = (None, HashMode::Canonical);
    read_document(call, CALL, &mut |at, member| {
        match at {
            1 => normalized = Some(normalize(member, format)?),
            2 => mode = member.as_str().and_then(HashMode::from_text).unwrap_or(mode),
            _ => {}
        }
        Ok(())
    })?;
    // What is required was read.
    Ok((normalized.ok_or_else(|| missing("plan"))?, mode))
}

//! The input of `normalize_plan`.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document, MOST_ERRORS},
    json::{Node, Pointer, object::missing},
};

use super::{Normalized, normalize};
use crate::{
    bounds, codes,
    documents::plan_ir::{HashMode, PlanFormat},
};

/// A call of `normalize_plan`.
#[derive(Debug, Document)]
#[document(expecting = "an object", root)]
pub struct NormalizePlanCall<'a> {
    /// The form of the plan. Without it, the fields of the plan tell.
    pub format: Option<PlanFormat>,
    /// The plan, in any form that is known.
    #[document(described = "super::adapters::AnyPlan")]
    pub plan: Node<'a>,
    /// The mode of the hash, `canonical` by default.
    #[serde(default)]
    pub hash_mode: HashMode,
}

/// Normalizes the plan of `{"format"?, "plan", "hash_mode"?}` (docs/reference/planir.md): `{"plan", "plan_hash", "adapter",
/// "plan_start", "quality"}`.
///
/// `format` is a word of [`PlanFormat`], detected by default; `hash_mode` is a word of [`HashMode`], by default `canonical`.
///
/// # Errors
///
/// An unknown `format`, otherwise the first error in document order, with up to nine others. Pointers begin at the call.
/// References between steps are checked once the whole plan is read.
///
/// ```
/// use adjudicate_core::{ir::normalize_text, json::{self, ReadLimits}};
/// let call = br#"{"plan": {"implementation_steps": "- add a flag\n- document it", "estimated_complexity": "easy"}}"#;
/// let tape = json::read(call, ReadLimits::DOCUMENT)?;
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

/// Forms of planners that are not published, so that their plans are read as PlanIR or subtasks (docs/reference/planir.md).
const UNPUBLISHED: &[&str] = &["rlm", "frlm"];

/// Normalizes the plan of a call.
pub(super) fn normalize_call(call: Node<'_>) -> Result<(Normalized<'_>, HashMode), Error> {
    // Needed before the plan is read, wherever the field stands.
    let format = call.member("format").map(read_format).transpose().map_err(|error| error.under("format"))?;
    let own = document::read::<NormalizePlanCall<'_>>(call);
    // A call that was read has a plan.
    let Some(plan) = call.member("plan") else { return own.and(Err(missing("plan"))) };
    let normalized = normalize(plan, format).map_err(|error| error.under("plan"));
    match (own, normalized) {
        (Ok(own), Ok(normalized)) => Ok((normalized, own.hash_mode)),
        (Err(own), Err(plan)) => Err(joined(call, &own, &plan)),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}

fn read_format(format: Node<'_>) -> Result<PlanFormat, Error> {
    if format.as_str().is_some_and(|format| UNPUBLISHED.contains(&format)) {
        let message = "the form of RLM and FRLM plans is not published; plans as PlanIR or subtasks are read";
        return Err(Error::new(codes::INVALID_VALUE, message));
    }
    document::read(format)
}

/// Joins the errors of the call's own fields and those of its plan, in document order.
fn joined(call: Node<'_>, own: &Error, plan: &Error) -> Error {
    let before = call.members().take_while(|(name, _)| *name != "plan");
    let before: Vec<String> = before.map(|(name, _)| Pointer::new("").key(name).into_string()).collect();
    let (mut errors, behind): (Vec<&Error>, Vec<&Error>) =
        own.all().partition(|error| before.iter().any(|path| error.path() == path));
    errors.extend(plan.all().chain(behind));
    let mut errors = errors.into_iter().take(MOST_ERRORS).map(|error| error.clone().with_others(Vec::new()));
    let first = errors.next().unwrap_or_else(|| plan.clone());
    first.with_others(errors.collect())
}

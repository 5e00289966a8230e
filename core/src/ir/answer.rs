//! The output contract of `normalize_plan`, for answers from outside the engine (docs/reference/planir.md).
//!
//! Normalizing involves no judgment: a source has one plan, one hash, and one list each of inferred and kept values.

use alloc::format;

use adjudicate_lang::{
    Error,
    json::{self, Kind, Node, ReadLimits},
};

use super::call::normalize_call;
use crate::{
    contract::{breach, decode, unanswerable},
    documents::plan_ir::NormalizedPlan,
};

/// Checks a foreign answer to `normalize_plan` against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{ir::{check_normalized, normalize_text}, json::{self, ReadLimits}};
/// let input = json::read(br#"{"plan": []}"#, ReadLimits::DOCUMENT)?;
/// let answer = normalize_text(input.root())?;
/// let other = answer.replace("sha256:", "sha256:0");
/// let [answer, other] = [&answer, &other].map(|text| json::read(text.as_bytes(), ReadLimits::ANSWER));
/// assert!(check_normalized(input.root(), answer?.root()).is_ok());
/// assert_eq!(check_normalized(input.root(), other?.root()).unwrap_err().path(), "/plan_hash");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_normalized(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let (normalized, mode) = normalize_call(input).map_err(unanswerable)?;
    decode::<NormalizedPlan<'_>>(answer)?;
    let text = normalized.to_json(mode);
    let ours = json::read(text.as_bytes(), ReadLimits::ANSWER)?;
    for (name, ours) in ours.root().members() {
        let Some(given) = answer.member(name) else { continue };
        let checked = if name == "plan" { check_value(ours, given) } else { check_same(ours, given) };
        checked.map_err(|error| error.under(name))?;
    }
    Ok(())
}

/// Checks that a value equals the engine's answer, except fields that begin with `x-`.
fn check_same(ours: Node<'_>, given: Node<'_>) -> Result<(), Error> {
    match (ours.kind(), given.kind()) {
        (Kind::Object, Kind::Object) => check_members(ours, given),
        (Kind::Array, Kind::Array) => check_items(ours, given),
        _ => check_value(ours, given),
    }
}

fn check_members(ours: Node<'_>, given: Node<'_>) -> Result<(), Error> {
    for (name, given) in given.members().filter(|(name, _)| !name.starts_with("x-")) {
        let checked = match ours.member(name) {
            Some(ours) => check_same(ours, given),
            None => Err(breach("", UNLIKE)),
        };
        checked.map_err(|error| error.under(name))?;
    }
    match ours.members().find(|(name, _)| given.member(name).is_none()) {
        Some((name, _)) => Err(breach("", format!("`{name}` is missing"))),
        None => Ok(()),
    }
}

fn check_items(ours: Node<'_>, given: Node<'_>) -> Result<(), Error> {
    let mut expected = ours.items();
    for (index, given) in given.items().enumerate() {
        let checked = match expected.next() {
            Some(ours) => check_same(ours, given),
            None => Err(breach("", UNLIKE)),
        };
        checked.map_err(|error| error.under(&format!("{index}")))?;
    }
    match expected.next().and_then(|next| next.member("path")?.as_str()) {
        Some(path) => Err(breach("", format!("`{path}` is missing"))),
        None => Ok(()),
    }
}

fn check_value(ours: Node<'_>, given: Node<'_>) -> Result<(), Error> {
    if json::canonical(ours) == json::canonical(given) { Ok(()) } else { Err(breach("", UNLIKE)) }
}

const UNLIKE: &str = "not what the source of the plan becomes";

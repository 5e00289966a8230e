//! The output contract of `verify_replay`, for answers from outside the engine (docs/reference/planir.md).
//!
//! Nothing is left to judgment: links, codes and paths of findings are facts. Only the messages are free.

use alloc::format;

use adjudicate_lang::{Error, json::Node};

use super::call::verify;
use crate::{
    contract::{breach, decode, unanswerable},
    documents::replay::{ReplayAnswer, StatedFinding},
};

/// Checks a foreign answer to `verify_replay` against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{ir::replay::{check_replay, verify_replay_text}, json::{self, ReadLimits}};
/// let call = br#"{"events": [], "plan": {
///   "analysis": "", "steps": [], "complexity": "low", "confidence": 0.5,
///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}
/// }}"#;
/// let call = json::read(call, ReadLimits::DOCUMENT)?;
/// let answer = verify_replay_text(call.root())?;
/// let check = |answer: &str| {
///     let answer = json::read(answer.as_bytes(), ReadLimits::DOCUMENT)?;
///     check_replay(call.root(), answer.root())
/// };
/// assert!(check(&answer).is_ok());
/// assert_eq!(check(&answer.replace("false", "true")).unwrap_err().path(), "/linked");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_replay(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let report = verify(input).map_err(unanswerable)?;
    let stated: ReplayAnswer<'_> = decode(answer)?;
    for (path, is_so) in [
        ("/linked", stated.linked == report.is_linked()),
        ("/plan_hash", stated.plan_hash == report.plan_hash()),
        ("/hash_mode", stated.hash_mode.0 == report.hash_mode()),
        ("/verification_delta", stated.verification_delta.0 == report.difference()),
    ] {
        if !is_so {
            return Err(breach(path, "the value does not follow from the plan and the replay of the call"));
        }
    }
    let mut findings = stated.findings.iter();
    for (at, found) in report.findings().iter().enumerate() {
        let is_it = |stated: &StatedFinding<'_>| {
            (stated.code, stated.path, stated.line) == (found.code(), found.path(), found.line())
        };
        if !findings.next().is_some_and(is_it) {
            let message = format!("the finding here is `{}` at `{}`", found.code(), found.path());
            return Err(breach(&format!("/findings/{at}"), message));
        }
    }
    match findings.next() {
        Some(_) => {
            let path = format!("/findings/{}", report.findings().len());
            Err(breach(&path, "the call has no such finding"))
        }
        None => Ok(()),
    }
}

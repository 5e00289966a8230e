//! The output contract of `check_policy`: what its answer must be, whoever made it (SPEC section 11).

use alloc::vec::Vec;

use serde::de::IgnoredAny;

use super::code::CheckSeverity;
use crate::{
    codes::Status,
    contract::{decode, shapes},
    error::Error,
    json::{Node, Nullable},
};

/// Checks an answer that did not come from this engine: its shape and its closed lists of words. The codes are a module's
/// own: it may find what this engine does not.
///
/// # Errors
///
/// [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{check::check_findings, json};
/// let answer = json::read(br#"{"findings": [{"code": "odd_rule", "severity": "fatal"}]}"#, json::Limits::DOCUMENT)?;
/// assert_eq!(check_findings(answer.root()).unwrap_err().path(), "/findings/0/severity");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_findings(answer: Node<'_>) -> Result<(), Error> {
    decode::<Answer<'_>>(answer).map(|_| ())
}

shapes! {
    "a check answer object" Answer { findings: Vec<AnswerFinding<'a>> }
    "a check finding object" AnswerFinding {
        code: &'a str, severity: CheckSeverity, path: &'a str, rule: Option<&'a str> = default, message: &'a str,
        hint: Option<&'a str> = default, witness: Nullable<AnswerWitness<'a>>,
    }
    "a witness object" AnswerWitness {
        envelope: IgnoredAny, status: Nullable<Status>, rules: Vec<&'a str>,
        error: Option<AnswerError<'a>> = default,
    }
    "an error object" AnswerError { code: &'a str, message: &'a str, path: &'a str }
}

//! The output contract of `check_policy`, for answers from outside the engine (docs/reference/policies.md).

use adjudicate_lang::{Error, json::Node};

use crate::{contract::decode, documents::check_finding::AnswerCheck};

/// Checks the shape and the closed lists of words of a foreign answer. Codes are free, because a module may find other problems.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{check::check_findings, json};
/// let answer = json::read(br#"{"findings": [{"code": "odd_rule", "severity": "fatal"}]}"#, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(check_findings(answer.root()).unwrap_err().path(), "/findings/0/severity");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_findings(answer: Node<'_>) -> Result<(), Error> {
    decode::<AnswerCheck<'_>>(answer).map(drop)
}

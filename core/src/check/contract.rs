//! The output contract of `check_policy`: what its answer must be, whoever made it (SPEC section 11).

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{Kind, Node, Nullable, Pointer},
};
use serde::de::IgnoredAny;

use super::code::CheckSeverity;
use crate::{
    codes::Status,
    contract::{breach_of, decode, shapes},
};

/// Checks an answer that did not come from this engine: its shape and its closed lists of words. The codes are a module's
/// own: it may find what this engine does not.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{check::check_findings, json};
/// let answer = json::read(br#"{"findings": [{"code": "odd_rule", "severity": "fatal"}]}"#, json::Limits::DOCUMENT)?;
/// assert_eq!(check_findings(answer.root()).unwrap_err().path(), "/findings/0/severity");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_findings(answer: Node<'_>) -> Result<(), Error> {
    decode::<Answer<'_>>(answer)?;
    let findings = answer.member("findings").into_iter().flat_map(Node::items);
    for (place, finding) in findings.enumerate() {
        let Some(witness) = finding.member("witness").filter(|witness| witness.kind() != Kind::Null) else {
            continue;
        };
        // What shows something is an output, or else an envelope.
        let read = match witness.member("output") {
            Some(_) => witness.decode::<AnswerOutput<'_>>().map(drop),
            None => witness.decode::<AnswerWitness<'_>>().map(drop),
        };
        let path = Pointer::new("/findings").index(place).key("witness").into_string();
        read.map_err(|error| breach_of(error.below(&path)))?;
    }
    Ok(())
}

shapes! {
    "a check answer object" Answer { findings: Vec<AnswerFinding<'a>> }
    "a check finding object" AnswerFinding {
        code: &'a str, severity: CheckSeverity, count: Option<u64> = default, path: &'a str, rule: Option<&'a str> = default, message: &'a str,
        hint: Option<&'a str> = default, witness: Nullable<IgnoredAny>,
    }
    "a witness object" AnswerWitness {
        envelope: IgnoredAny, status: Nullable<Status>, rules: Vec<&'a str>,
        error: Option<AnswerError<'a>> = default,
    }
    "a witness object with an output" AnswerOutput { output: IgnoredAny }
    "an error object" AnswerError { code: &'a str, message: &'a str, path: &'a str }
}

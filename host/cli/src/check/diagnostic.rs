//! One thing that is wrong, whoever found it.

use adjudicate_core::{
    Error,
    check::{CheckFinding, CheckSeverity, Witness},
};

use super::place::{self, Extent};

/// Something that is wrong with a document.
#[derive(Debug)]
pub(super) struct Diagnostic {
    pub(super) severity: CheckSeverity,
    pub(super) code: &'static str,
    pub(super) message: String,
    /// JSON Pointer into the document.
    pub(super) path: String,
    /// The rule that it is about.
    pub(super) rule: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) witness: Option<Witness>,
    /// Where it is in the text, once that is known.
    pub(super) extent: Option<Extent>,
}

/// The error that a document is refused for.
impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        let (message, place) = place::split(error.message());
        Self {
            severity: CheckSeverity::Error,
            code: error.code().as_str(),
            message: message.to_owned(),
            path: error.path().to_owned(),
            rule: None,
            hint: None,
            witness: None,
            extent: place.map(place::Place::alone),
        }
    }
}

impl From<CheckFinding> for Diagnostic {
    fn from(finding: CheckFinding) -> Self {
        Self {
            severity: finding.severity,
            code: finding.code.as_str(),
            message: finding.message,
            path: finding.path,
            rule: finding.rule,
            hint: finding.hint,
            witness: finding.witness,
            extent: None,
        }
    }
}

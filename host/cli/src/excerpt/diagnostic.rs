//! A problem of a document: an error of a reader, or a finding of `check_policy`.

use adjudicate_core::{
    Error,
    check::{CheckFinding, CheckSeverity, Witness},
};

use super::position::{self, Extent};

/// A problem of a document.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) severity: CheckSeverity,
    pub(crate) code: String,
    pub(crate) message: String,
    /// JSON Pointer into the document.
    pub(crate) path: String,
    /// The rule with the problem.
    pub(crate) rule: Option<String>,
    pub(crate) hint: Option<String>,
    pub(crate) witness: Option<Witness>,
    /// The part of the text with the problem, once it is located.
    pub(crate) extent: Option<Extent>,
}

impl Diagnostic {
    /// Returns the diagnostic for an error with this code, message and path.
    pub(crate) fn error(code: &str, message: &str, path: &str) -> Self {
        let (message, position) = position::split(message);
        Self {
            severity: CheckSeverity::Error,
            code: code.to_owned(),
            message: message.to_owned(),
            path: path.to_owned(),
            rule: None,
            hint: None,
            witness: None,
            extent: position.map(position::Position::alone),
        }
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        Self::error(error.code().as_str(), error.message(), error.path())
    }
}

impl From<CheckFinding> for Diagnostic {
    fn from(finding: CheckFinding) -> Self {
        Self {
            severity: finding.severity,
            code: finding.code.as_str().to_owned(),
            message: finding.message,
            path: finding.path,
            rule: finding.rule,
            hint: finding.hint,
            witness: finding.witness,
            extent: None,
        }
    }
}

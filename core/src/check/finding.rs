//! A static finding: what is wrong with a policy, where, and an envelope that shows it.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{OwnedValue, compare_pointers},
    order,
};
use serde::Serialize;

use super::code::{CheckCode, CheckSeverity};
use crate::{
    bounds::{MAX_LISTED, left_out},
    codes::Status,
};

/// What is wrong with a policy (SPEC section 11).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct CheckFinding {
    /// What it is, from a closed list.
    #[cfg_attr(feature = "typescript", tsify(type = "string"))]
    pub code: CheckCode,
    /// How grave it is.
    pub severity: CheckSeverity,
    /// The number of findings that are left out, in the finding that ends a cut list: `findings_omitted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// JSON Pointer into the policy.
    pub path: String,
    /// The rule that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// An envelope that shows it, where there is one; of what is found about an output contract an output.
    #[cfg_attr(feature = "typescript", tsify(type = "Witness | OutputWitness | null"))]
    pub witness: Option<Witness>,
}

/// An envelope that shows what a finding says, and what evaluating it under the policy comes to.
///
/// Every witness was evaluated before it is given. A finding that something never happens has none, or one that shows
/// what happens instead.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Witness {
    /// The envelope.
    #[cfg_attr(feature = "typescript", tsify(type = "Envelope"))]
    pub envelope: OwnedValue,
    /// The status that it leads to; null if evaluating it is an error.
    pub status: Option<Status>,
    /// The rules that find something in it, monitored ones too, each once, in the order of findings.
    pub rules: Vec<String>,
    /// Why there is no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<WitnessError>,
    /// The places of the rules whose conditions are unknown in it.
    #[serde(skip)]
    pub(super) undecided: Vec<usize>,
}

/// An error as every face prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct WitnessError {
    /// The stable code.
    #[cfg_attr(feature = "typescript", tsify(type = "ErrorCode"))]
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// JSON Pointer into the document at fault.
    pub path: String,
}

/// The first findings of a policy in their order, and how many more there are: no more are held than an answer lists.
#[derive(Debug, Default)]
pub(super) struct Findings {
    listed: Vec<CheckFinding>,
    left: usize,
    /// The most severe of those that are left out.
    severity: Option<CheckSeverity>,
}

impl Findings {
    pub(super) fn push(&mut self, finding: CheckFinding) {
        self.listed.push(finding);
        if self.listed.len() >= 2 * MAX_LISTED {
            self.cut();
        }
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = CheckFinding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// The findings in their order; the last one says how many are left out.
    pub(super) fn finish(mut self) -> Vec<CheckFinding> {
        self.cut();
        self.listed.extend(self.severity.map(|severity| CheckFinding::omitted(self.left as u64, severity)));
        self.listed
    }

    fn cut(&mut self) {
        order::sort_by(&mut self.listed, |left: &CheckFinding, right| {
            compare_pointers(&left.path, &right.path).then(left.code.cmp(&right.code))
        });
        let left = self.listed.get(MAX_LISTED..).unwrap_or_default();
        self.left += left.len();
        self.severity = left.iter().map(|finding| finding.severity).chain(self.severity).min();
        self.listed.truncate(MAX_LISTED);
    }
}

impl CheckFinding {
    pub(super) fn new(code: CheckCode, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            count: None,
            path: path.into(),
            rule: None,
            message: message.into(),
            hint: None,
            witness: None,
        }
    }

    /// The finding that stands for so many others that are left out, as severe as the most severe of them.
    pub(super) fn omitted(count: u64, severity: CheckSeverity) -> Self {
        Self {
            severity,
            count: Some(count),
            ..Self::new(CheckCode::FindingsOmitted, "", left_out(count, "findings"))
        }
    }

    /// The same finding, about a rule.
    #[inline(never)]
    pub(super) fn about(self, rule: &str) -> Self {
        Self { rule: Some(rule.into()), ..self }
    }

    /// The same finding, with what to do about it.
    #[inline(never)]
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same finding, with what shows it.
    #[inline(never)]
    pub(super) fn shown_by(self, witness: Option<Witness>) -> Self {
        Self { witness, ..self }
    }
}

impl Witness {
    /// Whether a rule finds something in it.
    pub(super) fn has(&self, rule: &str) -> bool {
        self.rules.iter().any(|found| found == rule)
    }

    /// Whether the condition of the rule at that place is unknown in it.
    pub(super) fn is_undecided(&self, place: usize) -> bool {
        self.undecided.contains(&place)
    }

    /// The envelope as compact JSON, to be evaluated.
    #[must_use]
    pub fn envelope_text(&self) -> String {
        adjudicate_lang::json::write(&self.envelope)
    }
}

impl From<&Error> for WitnessError {
    fn from(error: &Error) -> Self {
        Self { code: error.code().as_str(), message: error.message().into(), path: error.path().into() }
    }
}

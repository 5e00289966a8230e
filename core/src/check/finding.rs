//! Static findings, in order.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{json::compare_pointers, order};

use crate::{
    bounds::{MAX_LISTED, left_out},
    documents::{
        check_code::{CheckCode, CheckSeverity},
        check_finding::{CheckFinding, CheckWitness, Witness},
    },
};

/// The first findings in order, and the number of the others; no more are stored than an answer lists.
#[derive(Debug, Default)]
pub(super) struct CheckFindings {
    listed: Vec<CheckFinding>,
    left: usize,
    /// The severity of the most severe finding that is left out.
    severity: Option<CheckSeverity>,
}

impl CheckFindings {
    pub(super) fn push(&mut self, finding: CheckFinding) {
        self.listed.push(finding);
        if self.listed.len() >= 2 * MAX_LISTED {
            self.cut();
        }
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = CheckFinding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// The findings in order; the last one has the number of those left out.
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
    pub(crate) fn new(code: CheckCode, path: impl Into<String>, message: impl Into<String>) -> Self {
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

    /// The finding for `count` others that are left out, with their highest severity.
    pub(super) fn omitted(count: u64, severity: CheckSeverity) -> Self {
        Self {
            severity,
            count: Some(count),
            ..Self::new(CheckCode::FindingsOmitted, "", left_out(count, "findings"))
        }
    }

    #[inline(never)]
    pub(super) fn about(self, rule: &str) -> Self {
        Self { rule: Some(rule.into()), ..self }
    }

    #[inline(never)]
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[inline(never)]
    pub(super) fn shown_by(self, witness: Option<Witness>) -> Self {
        Self { witness: witness.map(CheckWitness::Envelope), ..self }
    }
}

impl Witness {
    /// Returns true if a rule has a finding in it.
    pub(super) fn has(&self, rule: &str) -> bool {
        self.rules.iter().any(|found| found == rule)
    }

    /// Returns true if the condition of the rule with this index is unknown in it.
    pub(super) fn is_undecided(&self, place: usize) -> bool {
        self.undecided.contains(&place)
    }

    /// The envelope as compact JSON, ready to evaluate.
    #[must_use]
    pub fn envelope_text(&self) -> String {
        adjudicate_lang::json::write(&self.envelope)
    }
}

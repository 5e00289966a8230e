//! Reasons: what each finding met and what it looks for, whether it decides, and what it lost to.

use alloc::{borrow::Cow, vec::Vec};

use serde::Serialize;

use super::{
    condition::{ConditionPart, Conditions},
    inputs::{found, wanted},
};
use crate::{
    codes::Status,
    evaluate::{Evaluation, Facts, Finding, Shown},
    policy::RuleMode,
};

/// Why there is a finding.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Reason<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// The status it calls for.
    pub status: Status,
    /// JSON Pointer into the envelope.
    pub evidence_ref: &'a str,
    /// What the rule looks for.
    pub expected: Cow<'a, Shown<'a>>,
    /// What it found instead.
    pub actual: Cow<'a, Shown<'a>>,
    /// Whether the decision has the status that it calls for.
    pub decisive: bool,
    /// The first rule that called for a more severe status, if it lost to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overruled_by: Option<&'a str>,
    /// `monitor` for what is only watched and decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
    /// For what a condition of the policy led to: its parts, in the order in which they are written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub conditions: Vec<ConditionPart<'a>>,
}

/// Findings of one rule and status that lost to a more severe one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Overruled<'a> {
    /// The rule that lost.
    pub rule: &'a str,
    /// What it called for.
    pub status: Status,
    /// How many findings it has of this status.
    pub findings: usize,
    /// The rule that won: the first that called for the status of the decision.
    pub by: &'a str,
    /// What that one called for.
    pub by_status: Status,
    /// Why it won, in one line.
    pub why: &'static str,
}

/// One reason for each finding.
pub(super) fn reasons<'a>(facts: &'a Facts<'a>, evaluation: &'a Evaluation<'a>) -> Vec<Reason<'a>> {
    let winner = evaluation.cause;
    let status = evaluation.decision.status;
    let mut conditions = Conditions::new(facts);
    let reason = |finding: &'a Finding<'a>| Reason {
        rule: finding.rule,
        status: finding.status,
        evidence_ref: &finding.evidence_ref,
        expected: finding.expected.as_ref().map_or_else(|| Cow::Owned(wanted(finding)), Cow::Borrowed),
        actual: finding.actual.as_ref().map_or_else(|| Cow::Owned(found(facts, finding)), Cow::Borrowed),
        decisive: finding.counts() && finding.status == status,
        overruled_by: winner.filter(|_| finding.counts() && finding.status < status),
        mode: finding.mode,
        conditions: conditions.of(finding),
    };
    evaluation.findings.iter().map(reason).collect()
}

/// What lost the precedence of statuses.
pub(super) fn overruled<'a>(evaluation: &'a Evaluation<'a>) -> Vec<Overruled<'a>> {
    let Some(winner) = evaluation.cause else { return Vec::new() };
    let by_status = evaluation.decision.status;
    let mut losers: Vec<Overruled<'a>> = Vec::new();
    for finding in evaluation.findings.iter().filter(|one| one.counts() && one.status < by_status) {
        // Findings of one rule stand together.
        let known = losers.iter_mut().rev().take_while(|loser| loser.rule == finding.rule);
        match known.into_iter().find(|loser| loser.status == finding.status) {
            Some(loser) => loser.findings += 1,
            None => losers.push(Overruled {
                rule: finding.rule,
                status: finding.status,
                findings: 1,
                by: winner,
                by_status,
                why: why(by_status),
            }),
        }
    }
    losers
}

/// Why a status wins against all milder ones.
const fn why(status: Status) -> &'static str {
    match status {
        Status::Unsafe => "`unsafe` is the most severe status",
        Status::NeedsHuman => "`needs_human` is more severe than `blocked` and `partial`",
        Status::Blocked => "`blocked` is more severe than `partial`",
        // Nothing is milder that a finding can call for.
        Status::Partial | Status::Success => "",
    }
}

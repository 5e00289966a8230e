//! The harness's counts disagree with its listed cases.

use alloc::{format, vec::Vec};

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::evidence::CaseStatus,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::CountMismatch, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    // A report without listed cases, or without counts, cannot disagree.
    let Some(harness) = facts.harness().filter(|harness| !harness.cases.is_empty()) else { return };
    let Some(summary) = &harness.summary else { return };
    let counts = [
        ("passed", Some(summary.passed), CaseStatus::Passed),
        ("failed", Some(summary.failed), CaseStatus::Failed),
        ("flaky", summary.flaky, CaseStatus::Flaky),
    ];
    let differing: Vec<_> = counts
        .into_iter()
        .filter_map(|(name, claimed, status)| Some((name, claimed?, harness.count(status))))
        .filter(|(_, claimed, listed)| claimed != listed)
        .collect();
    if differing.is_empty() {
        return;
    }
    let show = |of: fn(&(&str, u64, u64)) -> u64| {
        let parts: Vec<_> = differing.iter().map(|entry| format!("{} {}", of(entry), entry.0)).collect();
        parts.join(", ")
    };
    report
        .at("/evidence/harness_report/summary", "the harness's counts disagree with the cases it lists")
        .expected(show(|(_, _, listed)| *listed))
        .actual(show(|(_, claimed, _)| *claimed))
        .resolve(ResolutionKind::ProvideEvidence, "produce a report whose counts and cases agree");
}

//! A contradiction now, and a contradiction flag earlier (OA06 section 7).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::finding::{Finding, ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::RepeatedContradiction, phase: Phase::Escalation, check };

/// The flags that say of an earlier step that it contradicted itself.
const FLAGS: [&str; 3] = ["transcript_workspace_mismatch", "missing_artifact", "report_execution_mismatch"];

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    if !report.findings().iter().any(|finding| is_contradiction(facts, finding)) {
        return;
    }
    let envelope = facts.envelope();
    let lists = [
        ("/provenance_window", &envelope.provenance_window[..]),
        ("/evaluate_history", envelope.evaluate_history.as_deref().unwrap_or_default()),
    ];
    for (pointer, entries) in lists {
        let mut flags = entries.iter().flat_map(|entry| &entry.risk_flags);
        if let Some(flag) = flags.find(|flag| FLAGS.contains(*flag)) {
            report
                .at(
                    pointer,
                    format_args!("the evidence contradicts itself, after `{flag}` was flagged before"),
                )
                .actual(*flag)
                .resolve(
                    ResolutionKind::Terminal,
                    "undo the work; the agent's reports are not to be trusted",
                );
            return;
        }
    }
}

/// Whether a finding says that what is claimed and what is there disagree.
pub(super) fn is_contradiction(facts: &Facts<'_>, finding: &Finding<'_>) -> bool {
    match finding.code() {
        Some(
            RuleCode::TranscriptMismatch
            | RuleCode::ErrorButChanged
            | RuleCode::ReportMismatch
            | RuleCode::UnsupportedClaim,
        ) => true,
        Some(RuleCode::MissingArtifact) => facts.claims_success(),
        _ => false,
    }
}

//! A contradiction now, and a contradiction flag earlier (docs/reference/rules.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::RepeatedContradiction, phase: Phase::Escalation, check };

/// The flags of contradictions in earlier steps.
const FLAGS: [&str; 3] = ["transcript_workspace_mismatch", "missing_artifact", "report_execution_mismatch"];

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let envelope = facts.envelope();
    let lists = [
        ("/provenance_window", &envelope.provenance_window[..]),
        ("/evaluate_history", envelope.evaluate_history.as_deref().unwrap_or_default()),
    ];
    let earlier = lists.into_iter().find_map(|(pointer, entries)| {
        let mut flags = entries.iter().flat_map(|entry| &entry.risk_flags);
        flags.find(|flag| FLAGS.contains(*flag)).map(|flag| (pointer, *flag))
    });
    let Some((pointer, flag)) = earlier.filter(|_| !facts.contradictions().is_empty()) else { return };
    report
        .at(pointer, format_args!("the evidence contradicts itself, after `{flag}` was flagged before"))
        .actual(flag)
        .resolve(ResolutionKind::Terminal, "undo the work; do not trust the agent's reports");
}

//! A time limit killed the step: once calls for a retry, twice in the same way does not.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::{envelope::Opcode, outcome::Outcome},
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::Interrupted, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let outcome = facts.evidence().validation.mechanical_outcome;
    if !matches!(outcome, Outcome::KilledTimeout | Outcome::KilledIdle) {
        return;
    }
    let pointer = "/evidence/validation/mechanical_outcome";
    let finding = if preceding_attempt(facts) == Some(outcome) {
        let finding =
            report.otherwise_at(pointer, "the step was killed by a time limit, as the attempt before");
        finding.resolve(
            ResolutionKind::Terminal,
            "make the step smaller, or its limit larger, before another try",
        );
        finding
    } else {
        let finding = report.at(pointer, "the step was killed by a time limit");
        finding.resolve(ResolutionKind::Retry, "run the same step once more");
        finding
    };
    finding.expected(Outcome::Completed.as_str()).actual(outcome.as_str());
}

/// The outcome of the attempt before the latest EVALUATE entry of the window.
fn preceding_attempt(facts: &Facts<'_>) -> Option<Outcome> {
    let window = &facts.envelope().provenance_window;
    let evaluated = window.iter().rposition(|entry| entry.opcode == Opcode::Evaluate)?;
    let before = window.get(..evaluated)?.iter().rev();
    let mut attempts =
        before.filter(|entry| matches!(entry.opcode, Opcode::RunAgent | Opcode::RunValidation));
    attempts.find_map(|entry| entry.outcome)
}

//! The step was killed by a time limit: once calls for another try, twice in the same way does not.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{
        envelope::{EntryResult, Opcode, Outcome},
        finding::ResolutionKind,
    },
};

pub(super) const RULE: Rule = Rule { code: RuleCode::Interrupted, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
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

/// How the attempt before the most recent EVALUATE entry of the window ended, if there was one.
fn preceding_attempt(facts: &Facts<'_>) -> Option<Outcome> {
    let window = &facts.envelope().provenance_window;
    let evaluated = window.iter().rposition(|entry| entry.opcode == Opcode::Evaluate)?;
    let before = window.get(..evaluated)?.iter().rev();
    before.filter(|entry| matches!(entry.opcode, Opcode::RunAgent | Opcode::RunValidation)).find_map(
        |entry| match entry.result {
            EntryResult::Outcome(outcome) => Some(outcome),
            EntryResult::Status(_) => None,
        },
    )
}

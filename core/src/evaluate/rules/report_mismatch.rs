//! The harness or a claim says that checks pass while one of them failed.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{envelope::Outcome, evidence::Claim, finding::ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::ReportMismatch, phase: Phase::Evidence, check };

const HINT: &str = "find out which of the two is wrong before anything else; do not trust this workspace";

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let outcome = facts.evidence().validation.mechanical_outcome;
    if facts.harness_passes() && outcome != Outcome::Completed {
        report
            .at(
                "/evidence/validation/mechanical_outcome",
                "the harness passed, yet the step did not complete",
            )
            .expected(Outcome::Completed.as_str())
            .actual(outcome.as_str())
            .resolve(ResolutionKind::Terminal, HINT);
    }
    let passing = facts.harness_passing();
    let claims_pass = facts.claims_any(&[Claim::TestsPassed]);
    for validator in facts.failing_validators() {
        let witness = match (passing.includes(validator.id), claims_pass) {
            (true, _) => "the harness passed",
            (false, true) => "the agent claims that tests passed",
            (false, false) => continue,
        };
        report
            .at(validator.pointer(), format_args!("{witness}, yet {}", validator.describe()))
            .item(validator.id)
            .expected(0_i64)
            .actual(validator.shown())
            .resolve(ResolutionKind::Terminal, HINT);
    }
}

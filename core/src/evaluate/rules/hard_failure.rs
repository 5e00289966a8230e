//! The step failed without a failing validator, or a required validator has no result.

use adjudicate_lang::json::Pointer;

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::outcome::Outcome,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::HardFailure, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let evidence = facts.evidence();
    if evidence.validation.mechanical_outcome == Outcome::Error && facts.failed_validators().is_empty() {
        report
            .at("/evidence/validation/mechanical_outcome", "the step failed, and no validator shows why")
            .expected(Outcome::Completed.as_str())
            .actual(Outcome::Error.as_str())
            .resolve(ResolutionKind::ProvideEvidence, "find out why the step failed");
    }
    // The rule `stale_evidence` reports a result of another tree.
    let missing = facts.missing_validators().into_iter().filter(|(_, id)| !facts.results().is_stale(id));
    for (index, id) in missing {
        let pointer = match index {
            Some(index) => Pointer::new("/evidence/required_validators").index(index),
            None => Pointer::new("/evidence/validation/exit_codes"),
        };
        report
            .at(pointer.into_string(), format_args!("the required validator `{id}` has no result"))
            .item(id)
            .expected(id)
            .resolve(ResolutionKind::ProvideEvidence, "run the validator and report its exit code");
    }
}

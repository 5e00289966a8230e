//! Nothing is wrong, but nothing was checked (SPEC section 18.1).

use super::{Facts, Phase, Reporter, Rule};
use crate::{codes::RuleCode, evaluate::finding::ResolutionKind};

pub(super) const RULE: Rule = Rule { code: RuleCode::Unchecked, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    if facts.has_any_check() || facts.says_required_validators() {
        return;
    }
    report
        .at(
            "/evidence/validation/exit_codes",
            "no check has a result, and neither the envelope nor the policy says that none is required",
        )
        .expected("the result of a check")
        .resolve(
            ResolutionKind::ProvideEvidence,
            "run a check and pass its exit code on; where none is required, give `required_validators: []`",
        );
}

//! Everything is fine, but no check ran (docs/reference/rules.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::Unchecked, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if facts.has_known_failures_alone() {
        report
            .at("/evidence/validation/exit_codes", "all failures are known, and no check passed")
            .expected("a check that passes")
            .resolve(ResolutionKind::ProvideEvidence, "report a check that passes");
        return;
    }
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
            "run a check and report its exit code; to require none, set `required_validators: []`",
        );
}

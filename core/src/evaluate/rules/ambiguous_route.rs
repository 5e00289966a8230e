//! Nothing is wrong, but the next step would be a guess (SPEC section 18.2).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::{RuleCode, Status},
    evaluate::{
        finding::{ResolutionKind, Shown, most_severe},
        route::ambiguous_steps,
    },
};

pub(super) const RULE: Rule = Rule { code: RuleCode::AmbiguousRoute, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    // The rules before it in this phase may have found something.
    if most_severe(report.findings()) != Status::Success {
        return;
    }
    let steps = ambiguous_steps(facts);
    if steps.is_empty() {
        return;
    }
    report
        .at(
            "/allowed_next_steps",
            "two or more next steps are unclassified, and none is declared to go forward",
        )
        .expected("one forward step")
        .actual(steps.into_iter().collect::<Shown<'_>>())
        .resolve(ResolutionKind::ProvideEvidence, "declare roles in `steps` or in the policy's `routes`");
}

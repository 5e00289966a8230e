//! A required artifact is absent.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::MissingArtifact, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for missing in facts.missing_artifacts() {
        report
            .at(missing.pointer(), format_args!("no artifact matches `{}`", missing.wanted))
            .item(missing.wanted)
            .expected(missing.wanted)
            .resolve(ResolutionKind::ProvideEvidence, "produce the artifact and list it under `artifacts`");
    }
}

//! A required artifact is absent.

use super::{Facts, Phase, Reporter, Rule};
use crate::{codes::RuleCode, evaluate::finding::ResolutionKind};

pub(super) const RULE: Rule = Rule { code: RuleCode::MissingArtifact, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    for missing in facts.missing_artifacts() {
        report
            .at(missing.pointer(), format_args!("no artifact matches `{}`", missing.wanted))
            .item(missing.wanted)
            .expected(missing.wanted)
            .resolve(ResolutionKind::ProvideEvidence, "produce the artifact and list it under `artifacts`");
    }
}

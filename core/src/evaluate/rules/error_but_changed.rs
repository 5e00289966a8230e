//! The agent reports an error, and yet files changed.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{evidence::Claim, finding::ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::ErrorButChanged, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let Some(pointer) = facts.claim(Claim::ErrorReported) else { return };
    if !facts.changed().is_empty() {
        report
            .at(pointer, "the agent reports an error, and yet files changed")
            .expected("no change")
            .actual(match facts.changed().files().len() {
                0 => "files that cannot be told",
                1 => "one changed file",
                _ => "several changed files",
            })
            .resolve(ResolutionKind::NeedsApproval, "have a person decide whether the change is to be kept");
    }
}

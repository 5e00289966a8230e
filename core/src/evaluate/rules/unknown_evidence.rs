//! Evidence that the policy asks for cannot be known: an opaque diff under path policies.

use super::{Facts, Phase, Reporter, Rule};
use crate::{codes::RuleCode, evaluate::finding::ResolutionKind};

pub(super) const RULE: Rule = Rule { code: RuleCode::UnknownEvidence, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let policy = facts.policy();
    let asks_for_paths = !policy.forbidden_paths().is_empty() || !policy.protected_paths().is_empty();
    if asks_for_paths && facts.changed().is_opaque() {
        report
            .at(
                facts.diff_pointer(),
                "the policy is about paths, and the diff does not say which files changed",
            )
            .expected("a diff that names its files")
            .resolve(
                ResolutionKind::ProvideEvidence,
                "give the diff as `evidence.diff`, or as git prints it",
            );
    }
}

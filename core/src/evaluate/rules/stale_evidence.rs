//! A result is about another tree than the one that is judged.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::finding::Shown,
    evaluate::results::ResultSource,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::StaleEvidence, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let judged = facts.evidence().tree.map(|tree| tree.0);
    for stale in facts.results().stale() {
        let item = stale.source.item();
        let what = match stale.source {
            ResultSource::Validator(_) => "the result of",
            ResultSource::Harness | ResultSource::Review => "the",
        };
        let why = if stale.tree.is_some() {
            "is of another tree"
        } else {
            "names no tree, and the policy asks for one"
        };
        report
            .at(&*stale.pointer, format_args!("{what} `{item}` {why}"))
            .item(item)
            .expected(Shown::from(judged))
            .actual(Shown::from(stale.tree))
            .resolve(ResolutionKind::Retry, "run it again on the tree that is judged");
    }
}

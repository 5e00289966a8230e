//! The tree that is judged, and acts that make stale results count.

use adjudicate_lang::json::OwnedValue;

use super::act::Act;
use crate::evaluate::{Facts, ResultSource};

/// The tree that is judged, or a new one.
pub(super) fn judged_tree<'a>(facts: &Facts<'a>) -> &'a str {
    facts.evidence().tree.map_or("tree", |tree| tree.0)
}

/// The act that makes a result one of the tree that is judged.
pub(super) fn renew(facts: &Facts<'_>, source: ResultSource<'_>) -> Act {
    Act::Set(source.tree_pointer(), OwnedValue::text(judged_tree(facts)))
}

/// The act after which there is a report of the harness, if there is none that counts. A stale one stays as it is.
pub(super) fn report(facts: &Facts<'_>) -> Option<Act> {
    match (facts.harness(), facts.evidence().harness_report.as_ref()) {
        (Some(_), _) => None,
        (None, Some(_)) => Some(renew(facts, ResultSource::Harness)),
        (None, None) => Some(Act::Report),
    }
}

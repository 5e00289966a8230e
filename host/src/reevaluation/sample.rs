//! Samples of changed cases for reports.

use adjudicate_core::{Operation, document::Describe};
use serde::Serialize;

use super::{
    case::ReevaluationCase,
    comparison::{Comparison, OutcomeChange, OutcomeDetails},
    outcome::Label,
};

/// Bounds on a list in a sample, and on each text in it.
const MOST_LISTED: usize = 10;
const LONGEST: usize = 200;

/// A changed case. Long lists and texts are cut.
#[derive(Clone, Debug, Describe, Serialize)]
pub struct Sample {
    /// The number of the record or line.
    pub number: u64,
    /// The run of the case.
    pub run_id: Option<String>,
    /// The operation.
    pub operation: Operation,
    /// The degree of change.
    pub change: OutcomeChange,
    /// The fields of the decision that changed.
    pub changed: Vec<String>,
    /// The outcome before.
    pub before: Side,
    /// The outcome after.
    pub after: Side,
    /// The findings that only the version after has: rule and path.
    pub appeared: Vec<String>,
    /// The findings that only the version before has.
    pub disappeared: Vec<String>,
}

/// One outcome of a sample.
#[derive(Clone, Debug, Describe, Serialize)]
pub struct Side {
    /// The status.
    pub status: Label,
    /// The next step.
    pub next_step: Option<String>,
    /// The risk flags.
    pub risk_flags: Vec<String>,
    /// The blockers.
    pub blockers: Vec<String>,
    /// The code of an error.
    pub error: Option<String>,
}

impl Sample {
    /// Creates a sample of a changed case. A change of the decision counts. If every byte must be the same, each change counts.
    pub(super) fn new(case: &ReevaluationCase, comparison: &Comparison, is_exact: bool) -> Option<Box<Self>> {
        let least = if is_exact { OutcomeChange::Wording } else { OutcomeChange::Decision };
        let (before, after) = comparison.sides.as_deref()?;
        if comparison.change < least {
            return None;
        }
        let only = |one: &OutcomeDetails, other: &OutcomeDetails| {
            let found = one.findings.difference(&other.findings);
            listed(found.map(
                |(rule, place)| if place.is_empty() { rule.clone() } else { format!("{rule} at {place}") },
            ))
        };
        Some(Box::new(Self {
            number: case.number,
            run_id: case.run_id().map(|id| clip(&id)),
            operation: case.operation,
            change: comparison.change,
            changed: listed(comparison.members.iter().cloned()),
            appeared: only(after, before),
            disappeared: only(before, after),
            before: Side::new(comparison.from, before),
            after: Side::new(comparison.to, after),
        }))
    }
}

impl Side {
    fn new(status: Label, details: &OutcomeDetails) -> Self {
        Self {
            status,
            next_step: details.next_step.as_deref().map(clip),
            risk_flags: listed(details.flags.iter().cloned()),
            blockers: listed(details.blockers.iter().cloned()),
            error: details.error.as_deref().map(clip),
        }
    }
}

/// Returns the first items, and the number of further items as text.
fn listed(mut items: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<_> = items.by_ref().take(MOST_LISTED).map(|item| clip(&item)).collect();
    match items.count() {
        0 => {}
        more => list.push(format!("and {more} more")),
    }
    list
}

pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

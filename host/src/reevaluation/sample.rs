//! Cases that changed, as far as they are shown.

use serde::Serialize;

use super::{
    case::Case,
    comparison::{Change, Comparison, Said},
    outcome::Label,
};

/// How many things a side of a sample lists, and how long each may be.
const MOST_LISTED: usize = 10;
const LONGEST: usize = 200;

/// A case that changed. Its lists and texts are cut to a length that can be shown.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// The number of its record or line.
    pub number: u64,
    /// The run that it was about.
    pub run_id: Option<String>,
    /// What was asked.
    pub operation: &'static str,
    /// How much changed.
    pub change: Change,
    /// The members of the decision that changed.
    pub changed: Vec<String>,
    /// What it came to before.
    pub before: Side,
    /// What it comes to now.
    pub after: Side,
    /// What was found now and not before: the rule, and where.
    pub appeared: Vec<String>,
    /// What was found before and not now.
    pub disappeared: Vec<String>,
}

/// One side of a sample.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// What it comes to.
    pub status: Label,
    /// The step that comes next.
    pub next_step: Option<String>,
    /// The flags that are raised.
    pub risk_flags: Vec<String>,
    /// What blocks.
    pub blockers: Vec<String>,
    /// The code of an error.
    pub error: Option<String>,
}

impl Sample {
    /// A sample of a case that changed: in its decision, or, where every byte counts, at all.
    pub(super) fn of(case: &Case, comparison: &Comparison, is_exact: bool) -> Option<Box<Self>> {
        let least = if is_exact { Change::Wording } else { Change::Decision };
        let (before, after) = comparison.sides.as_deref()?;
        if comparison.change < least {
            return None;
        }
        let only = |one: &Said, other: &Said| {
            let found = one.findings.difference(&other.findings);
            listed(found.map(
                |(rule, place)| if place.is_empty() { rule.clone() } else { format!("{rule} at {place}") },
            ))
        };
        Some(Box::new(Self {
            number: case.number,
            run_id: case.run_id().map(|id| clip(&id)),
            operation: case.operation.name(),
            change: comparison.change,
            changed: listed(comparison.members.iter().cloned()),
            appeared: only(after, before),
            disappeared: only(before, after),
            before: Side::of(comparison.from, before),
            after: Side::of(comparison.to, after),
        }))
    }
}

impl Side {
    fn of(status: Label, said: &Said) -> Self {
        Self {
            status,
            next_step: said.next_step.as_deref().map(clip),
            risk_flags: listed(said.flags.iter().cloned()),
            blockers: listed(said.blockers.iter().cloned()),
            error: said.error.as_deref().map(clip),
        }
    }
}

/// The first of them, and how many more there are.
fn listed(mut items: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<_> = items.by_ref().take(MOST_LISTED).map(|item| clip(&item)).collect();
    match items.count() {
        0 => {}
        more => list.push(format!("and {more} more")),
    }
    list
}

/// A text, cut to a length that can be shown.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

//! Merging: of diagnostics that say the same the gravest stays, and all stand in one order (5.9.3).
//!
//! Associative, commutative and idempotent: merging what was merged before changes nothing, and neither does the order in
//! which validators, or runs of them, report.

use alloc::{string::String, vec::Vec};
use core::{cell::OnceCell, cmp::Ordering};

use super::Diagnostic;
use crate::order;

/// Merges diagnostics.
///
/// Two say the same when they are about the same constraint, node and cause. A constraint is known by its id, else by its
/// text; a diagnostic without a constraint by its details. The survivor is the hardest, then the worst, then the least in
/// canonical JSON; it gains the suggestions of the others.
///
/// ```
/// use adjudicate_core::plan::{Cause, Diagnostic, Level, Outcome, merge};
/// let mut soft = Diagnostic::new(Level::Soft, Outcome::Unsatisfied, Cause::MissingProducer);
/// soft.suggest("add a review");
/// let hard = Diagnostic::new(Level::Hard, Outcome::Unsatisfied, Cause::MissingProducer);
/// let merged = merge(vec![soft, hard]);
/// assert_eq!(merged.len(), 1);
/// assert_eq!(
///     merged[0].to_json(),
///     r#"{"severity":"hard","status":"unsatisfied","cause":"missing_producer","suggestion":"add a review"}"#,
/// );
/// ```
#[must_use]
pub fn merge(diagnostics: Vec<Diagnostic<'_>>) -> Vec<Diagnostic<'_>> {
    let mut ranked: Vec<Ranked<'_>> = diagnostics.into_iter().map(Ranked::of).collect();
    order::sort_by(&mut ranked, |left, right| left.compare_key(right).then_with(|| left.compare_rank(right)));
    let mut survivors: Vec<Ranked<'_>> = Vec::new();
    for next in ranked {
        match survivors.last_mut().filter(|survivor| survivor.compare_key(&next).is_eq()) {
            Some(survivor) => survivor.diagnostic.suggestions.extend(next.diagnostic.suggestions),
            None => survivors.push(next),
        }
    }
    for survivor in &mut survivors {
        survivor.diagnostic.order_suggestions();
    }
    order::sort_by(&mut survivors, Ranked::compare_place);
    survivors.into_iter().map(|ranked| ranked.diagnostic).collect()
}

/// A diagnostic with its canonical text, which is asked for only where all else is equal.
struct Ranked<'a> {
    diagnostic: Diagnostic<'a>,
    canonical: OnceCell<String>,
}

impl<'a> Ranked<'a> {
    const fn of(diagnostic: Diagnostic<'a>) -> Self {
        Self { diagnostic, canonical: OnceCell::new() }
    }

    fn canonical(&self) -> &str {
        self.canonical.get_or_init(|| self.diagnostic.canonical())
    }

    /// Equal for those that say the same.
    fn compare_key(&self, other: &Self) -> Ordering {
        let key = |one: &Self| one.diagnostic.cause;
        self.diagnostic
            .subject()
            .cmp(&other.diagnostic.subject())
            .then_with(|| self.node().cmp(other.node()))
            .then_with(|| key(self).cmp(&key(other)))
    }

    /// The least of a key survives.
    fn compare_rank(&self, other: &Self) -> Ordering {
        let (left, right) = (&self.diagnostic, &other.diagnostic);
        let graver = (left.level, left.outcome).cmp(&(right.level, right.outcome));
        graver.then_with(|| self.canonical().cmp(other.canonical()))
    }

    /// Where it stands among survivors.
    fn compare_place(&self, other: &Self) -> Ordering {
        let (left, right) = (&self.diagnostic, &other.diagnostic);
        (left.level.cmp(&right.level))
            .then_with(|| left.constraint_id.cmp(&right.constraint_id))
            .then_with(|| left.node_id.cmp(&right.node_id))
            .then_with(|| left.cause.cmp(&right.cause))
            .then_with(|| self.canonical().cmp(other.canonical()))
    }

    /// The node, or what stands for "any".
    fn node(&self) -> &str {
        self.diagnostic.node_id.as_deref().unwrap_or("*")
    }
}

/// What a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject<'d> {
    /// The constraint of that id.
    Id(&'d str),
    /// The constraint of that text.
    Text(&'d str),
    /// No constraint: what the details say, if there are some.
    Details(Option<&'d str>),
}

impl Diagnostic<'_> {
    pub(super) fn subject(&self) -> Subject<'_> {
        match (&self.constraint_id, &self.constraint) {
            (Some(id), _) => Subject::Id(id),
            (None, Some(text)) => Subject::Text(text),
            (None, None) => Subject::Details(self.details.as_deref()),
        }
    }
}

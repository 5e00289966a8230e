//! Merging: removes duplicate diagnostics, keeps the most severe of each, and sorts the rest (docs/reference/plans.md).
//!
//! Merging is associative, commutative and idempotent, so the order in which validators or runs report does not matter.

use alloc::{string::String, vec::Vec};
use core::{cell::OnceCell, cmp::Ordering};

use adjudicate_lang::order;

use super::names::Names;
use crate::documents::diagnostic::Diagnostic;

/// Merges diagnostics.
///
/// Two diagnostics are duplicates if they have the same constraint, node and cause. A constraint is identified by its id,
/// otherwise by its text; a diagnostic without a constraint by its details. The survivor is the hardest, then the most severe,
/// then the least in canonical JSON. It gains the suggestions of the others.
///
/// ```
/// use adjudicate_core::plan::{Cause, Diagnostic, Level, DiagnosticStatus, merge};
/// let mut soft = Diagnostic::new(Level::Soft, DiagnosticStatus::Unsatisfied, Cause::MissingProducer);
/// soft.suggest("add a review");
/// let hard = Diagnostic::new(Level::Hard, DiagnosticStatus::Unsatisfied, Cause::MissingProducer);
/// let merged = merge(vec![soft, hard]);
/// assert_eq!(merged.len(), 1);
/// assert_eq!(
///     merged[0].to_json(),
///     r#"{"severity":"hard","status":"unsatisfied","cause":"missing_producer","suggestion":"add a review"}"#,
/// );
/// ```
#[must_use]
pub fn merge(diagnostics: Vec<Diagnostic<'_>>) -> Vec<Diagnostic<'_>> {
    let mut ranked = RankedDiagnostic::all(diagnostics);
    order::sort_by_number(&mut ranked, |one| one.key, RankedDiagnostic::compare_rank);
    ranked.dedup_by(|next, survivor| {
        let is_same = next.key == survivor.key;
        if is_same {
            survivor.diagnostic.suggestions.append(&mut next.diagnostic.suggestions);
        }
        is_same
    });
    for survivor in &mut ranked {
        survivor.diagnostic.order_suggestions();
    }
    order::sort_by_number(
        &mut ranked,
        |one| one.place,
        |left, right| left.canonical().cmp(right.canonical()),
    );
    ranked.into_iter().map(|ranked| ranked.diagnostic).collect()
}

/// The differences between two lists of merged diagnostics, by their keys.
pub(super) struct DiagnosticDifferences<'d, 'a> {
    /// Diagnostics of the first list alone.
    pub resolved: Vec<&'d Diagnostic<'a>>,
    /// Diagnostics of the second list alone.
    pub introduced: Vec<&'d Diagnostic<'a>>,
    /// The number of keys in both lists.
    pub unchanged: usize,
}

impl<'d, 'a> DiagnosticDifferences<'d, 'a> {
    pub(super) fn between(before: &[&'d Diagnostic<'a>], after: &[&'d Diagnostic<'a>]) -> Self {
        let all = [before, after].concat();
        let keys: Vec<[u32; 4]> = all.iter().zip(ranks(&all)).map(|(one, rank)| key(one, rank)).collect();
        let (old, new) = keys.split_at(before.len());
        let [old_sorted, new_sorted] = [old, new].map(|keys| {
            let mut keys = keys.to_vec();
            order::sort_by(&mut keys, Ord::cmp);
            keys
        });
        let only = |list: &[&'d Diagnostic<'a>], keys: &[[u32; 4]], others: &[[u32; 4]]| {
            let keyed = list.iter().zip(keys);
            keyed
                .filter(|(_, key)| others.binary_search(key).is_err())
                .map(|(one, _)| *one)
                .collect::<Vec<_>>()
        };
        let introduced = only(after, new, &old_sorted);
        let unchanged = after.len() - introduced.len();
        Self { resolved: only(before, old, &new_sorted), introduced, unchanged }
    }
}

/// Four numbers that are equal for duplicates: kind of subject, subject, node and cause.
fn key(diagnostic: &Diagnostic<'_>, (subject, node): (u32, u32)) -> [u32; 4] {
    [diagnostic.subject().0 as u32, subject, node, diagnostic.cause as u32]
}

/// The ranks of the subject and of the node of each diagnostic.
fn ranks(diagnostics: &[&Diagnostic<'_>]) -> Vec<(u32, u32)> {
    let subjects: Vec<&str> = diagnostics.iter().map(|one| one.subject().1).collect();
    // A diagnostic without a node ranks as `*`, like any other name.
    let nodes: Vec<&str> = diagnostics.iter().map(|one| one.node_id.as_deref().unwrap_or("*")).collect();
    Names::ranks(&subjects).into_iter().zip(Names::ranks(&nodes)).collect()
}

/// A diagnostic with precomputed sort keys: comparing numbers is faster than following pointers to texts.
struct RankedDiagnostic<'a> {
    /// Equal for duplicates.
    key: [u32; 4],
    /// The position among survivors; diagnostics without a constraint or a node come first.
    place: [u32; 4],
    diagnostic: Diagnostic<'a>,
    /// Built only if everything else is equal.
    canonical: OnceCell<String>,
}

impl<'a> RankedDiagnostic<'a> {
    fn all(diagnostics: Vec<Diagnostic<'a>>) -> Vec<Self> {
        let ranks = ranks(&diagnostics.iter().collect::<Vec<_>>());
        let ranked = diagnostics.into_iter().zip(ranks).map(|(diagnostic, (subject, node))| Self {
            key: key(&diagnostic, (subject, node)),
            place: [
                diagnostic.level as u32,
                diagnostic.constraint_id.as_ref().map_or(0, |_| subject + 1),
                diagnostic.node_id.as_ref().map_or(0, |_| node + 1),
                diagnostic.cause as u32,
            ],
            canonical: OnceCell::new(),
            diagnostic,
        });
        ranked.collect()
    }

    fn canonical(&self) -> &str {
        self.canonical.get_or_init(|| self.diagnostic.canonical())
    }

    /// Compares duplicates: the least survives.
    fn compare_rank(&self, other: &Self) -> Ordering {
        let (left, right) = (&self.diagnostic, &other.diagnostic);
        let by_severity = (left.level, left.outcome).cmp(&(right.level, right.outcome));
        by_severity.then_with(|| self.canonical().cmp(other.canonical()))
    }
}

/// The identification of a diagnostic's subject: by constraint id, constraint text, or details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubjectKind {
    Id,
    Text,
    Details,
}

impl Diagnostic<'_> {
    pub(super) fn subject(&self) -> (SubjectKind, &str) {
        match (&self.constraint_id, &self.constraint) {
            (Some(id), _) => (SubjectKind::Id, id),
            (None, Some(text)) => (SubjectKind::Text, text),
            // Details are an object, so the empty text is unambiguous.
            (None, None) => (SubjectKind::Details, self.details.as_deref().unwrap_or_default()),
        }
    }
}

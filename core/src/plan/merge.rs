//! Merging: of diagnostics that say the same the gravest stays, and all stand in one order (5.9.3).
//!
//! Associative, commutative and idempotent: merging what was merged before changes nothing, and neither does the order in
//! which validators, or runs of them, report.

use alloc::{string::String, vec::Vec};
use core::{cell::OnceCell, cmp::Ordering};

use adjudicate_lang::order;

use super::{Diagnostic, names::Names};

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
    let mut ranked = Ranked::all(diagnostics);
    order::sort_by_number(&mut ranked, |one| one.key, Ranked::compare_rank);
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
pub(super) struct Changes<'d, 'a> {
    /// Diagnostics of the first list alone.
    pub resolved: Vec<&'d Diagnostic<'a>>,
    /// Diagnostics of the second list alone.
    pub introduced: Vec<&'d Diagnostic<'a>>,
    /// How many keys are in both lists.
    pub unchanged: usize,
}

impl<'d, 'a> Changes<'d, 'a> {
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

/// Numbers that are equal for diagnostics of one key: constraint or details, node, and cause.
fn key(diagnostic: &Diagnostic<'_>, (subject, node): (u32, u32)) -> [u32; 4] {
    [diagnostic.subject().0 as u32, subject, node, diagnostic.cause as u32]
}

/// The ranks of the subject and of the node of each diagnostic.
fn ranks(diagnostics: &[&Diagnostic<'_>]) -> Vec<(u32, u32)> {
    let subjects: Vec<&str> = diagnostics.iter().map(|one| one.subject().1).collect();
    // The name that stands for any node is a name like others.
    let nodes: Vec<&str> = diagnostics.iter().map(|one| one.node_id.as_deref().unwrap_or("*")).collect();
    Names::ranks(&subjects).into_iter().zip(Names::ranks(&nodes)).collect()
}

/// A diagnostic with its canonical text, and with what it is compared by as numbers: texts lie all over the place.
struct Ranked<'a> {
    /// Equal for those that say the same.
    key: [u32; 4],
    /// Where it stands among survivors; whoever has no constraint or no node comes first.
    place: [u32; 4],
    diagnostic: Diagnostic<'a>,
    /// Asked for only where all else is equal.
    canonical: OnceCell<String>,
}

impl<'a> Ranked<'a> {
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

    /// The least of a key survives.
    fn compare_rank(&self, other: &Self) -> Ordering {
        let (left, right) = (&self.diagnostic, &other.diagnostic);
        let graver = (left.level, left.outcome).cmp(&(right.level, right.outcome));
        graver.then_with(|| self.canonical().cmp(other.canonical()))
    }
}

/// What a diagnostic is about: a constraint, by its id or by its text, or else what the details say, if there are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Id,
    Text,
    Details,
}

impl Diagnostic<'_> {
    pub(super) fn subject(&self) -> (Kind, &str) {
        match (&self.constraint_id, &self.constraint) {
            (Some(id), _) => (Kind::Id, id),
            (None, Some(text)) => (Kind::Text, text),
            // No object is written as nothing.
            (None, None) => (Kind::Details, self.details.as_deref().unwrap_or_default()),
        }
    }
}

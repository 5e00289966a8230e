//! The satisfaction score: the weighted share of satisfied constraints (docs/reference/plans.md), exact to six decimals.

use alloc::{vec, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{Decimal, document::Magnitude, order};

use super::{merge::SubjectKind, names::Names};
use crate::documents::{
    Weights,
    diagnostic::{Diagnostic, DiagnosticStatus, Level},
};

/// The score of merged diagnostics, in millionths.
///
/// Every constraint counts once, with the weight of its hardest diagnostic. It is met if all its diagnostics that are not
/// informational are satisfied. Diagnostics without a constraint do not score; a score of nothing is 1.
pub(super) fn millionths(
    diagnostics: &[Diagnostic<'_>],
    Weights { hard: Magnitude(hard_weight), soft: Magnitude(soft_weight) }: Weights,
) -> u32 {
    let (hard, soft) = tally(diagnostics);
    let weighs = |weight: Decimal, tally: Tally| weight > Decimal::ZERO && tally.all > 0;
    if !weighs(hard_weight, hard) && !weighs(soft_weight, soft) {
        return ONE;
    }
    // Compares the score with `halves` half millionths, by the sign of numerator minus that share of the denominator.
    let against = |halves: i64| {
        let excess = |tally: Tally| i128::from(2 * i64::from(ONE) * tally.met - halves * tally.all);
        Decimal::sign_of_sum(&[(excess(hard), hard_weight), (excess(soft), soft_weight)])
    };
    // The first candidate whose upper edge the score does not pass; a tie rounds to even.
    let (mut low, mut high) = (0, ONE);
    while low < high {
        let middle = u32::midpoint(low, high);
        let passes = match against(2 * i64::from(middle) + 1) {
            Ordering::Greater => true,
            Ordering::Equal => middle % 2 == 1,
            Ordering::Less => false,
        };
        if passes {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns for each constraint id if the constraint is met: no scored diagnostic stands against it.
pub(super) fn met(diagnostics: &[Diagnostic<'_>], ids: &[&str]) -> Vec<bool> {
    let is_against = |one: &&Diagnostic<'_>| one.is_scored() && one.outcome != DiagnosticStatus::Satisfied;
    let against = diagnostics.iter().filter(is_against);
    let mut unmet: Vec<&str> = against.filter_map(|one| one.constraint_id.as_deref()).collect();
    order::sort_by(&mut unmet, Ord::cmp);
    ids.iter().map(|id| unmet.binary_search(id).is_err()).collect()
}

/// The full score.
const ONE: u32 = 1_000_000;

/// The number of constraints of one weight, and of those met.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    all: i64,
    met: i64,
}

/// The tallies of hard and soft constraints.
fn tally(diagnostics: &[Diagnostic<'_>]) -> (Tally, Tally) {
    let scored = || diagnostics.iter().filter(|diagnostic| diagnostic.is_scored());
    let texts: Vec<&str> = scored().map(|diagnostic| diagnostic.subject().1).collect();
    // An id and a text may be equal, so each rank has two slots.
    let mut constraints = vec![Standing::default(); 2 * texts.len()];
    for (diagnostic, rank) in scored().zip(Names::ranks(&texts)) {
        let at = 2 * rank as usize + usize::from(diagnostic.subject().0 == SubjectKind::Text);
        let Some(standing) = constraints.get_mut(at) else { continue };
        standing.is_hard |= diagnostic.level == Level::Hard;
        standing.is_unmet |= diagnostic.outcome != DiagnosticStatus::Satisfied;
        standing.is_there = true;
    }
    let (mut hard, mut soft) = (Tally::default(), Tally::default());
    for standing in constraints.iter().filter(|standing| standing.is_there) {
        let tally = if standing.is_hard { &mut hard } else { &mut soft };
        tally.all += 1;
        tally.met += i64::from(!standing.is_unmet);
    }
    (hard, soft)
}

/// The state of one constraint.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    is_there: bool,
    is_hard: bool,
    is_unmet: bool,
}

impl Diagnostic<'_> {
    /// Returns true if it counts: it is about a constraint and not informational.
    fn is_scored(&self) -> bool {
        self.level != Level::Informational && self.subject().0 != SubjectKind::Details
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Cause;

    fn score(given: &[(&'static str, Level, DiagnosticStatus)], weights: Weights) -> u32 {
        let diagnostics: Vec<_> = given
            .iter()
            .map(|(id, level, outcome)| Diagnostic {
                constraint_id: Some((*id).into()),
                ..Diagnostic::new(*level, *outcome, Cause::Advisory)
            })
            .collect();
        millionths(&diagnostics, weights)
    }

    #[test]
    fn a_constraint_counts_once_with_its_hardest_level() {
        use DiagnosticStatus::{Satisfied, Unknown, Unsatisfied};
        use Level::{Hard, Informational, Soft};
        for (given, expected) in [
            (&[][..], 1_000_000),
            (&[("a", Informational, Unsatisfied)], 1_000_000),
            (&[("a", Hard, Unsatisfied)], 0),
            (&[("a", Hard, Unknown)], 0),
            (&[("a", Hard, Satisfied), ("b", Soft, Unsatisfied)], 666_667),
            (&[("a", Hard, Unsatisfied), ("b", Soft, Satisfied)], 333_333),
            // One diagnostic of two is unsatisfied, and the other makes the constraint hard.
            (&[("a", Hard, Satisfied), ("a", Soft, Unsatisfied), ("b", Soft, Satisfied)], 333_333),
            (&[("a", Hard, Satisfied), ("a", Informational, Unsatisfied)], 1_000_000),
        ] {
            assert_eq!(score(given, Weights::default()), expected, "{given:?}");
        }
    }

    #[test]
    fn parts_without_constraints_do_not_score() {
        let finding = Diagnostic::new(Level::Hard, DiagnosticStatus::Unsatisfied, Cause::MissingProducer);
        assert_eq!(millionths(&[finding], Weights::default()), 1_000_000);
    }

    #[test]
    fn any_weights_score_exactly() {
        let met_and_not = [
            ("a", Level::Hard, DiagnosticStatus::Satisfied),
            ("b", Level::Soft, DiagnosticStatus::Unsatisfied),
        ];
        for (hard, soft, expected) in [
            (Decimal::new(0, 0), Decimal::new(0, 0), 1_000_000),
            (Decimal::new(0, 0), Decimal::new(1, 0), 0),
            (Decimal::new(1, 308), Decimal::new(1, -307), 1_000_000),
            (Decimal::new(1, -307), Decimal::new(1, 308), 0),
            (Decimal::new(1, 0), Decimal::new(10, -1), 500_000),
            (Decimal::new(u64::MAX, 0), Decimal::new(u64::MAX, 0), 500_000),
            (Decimal::new(1, 0), Decimal::new(2, 0), 333_333),
            // Exactly half a millionth, and three halves: both round to even.
            (Decimal::new(1, 0), Decimal::new(1_999_999, 0), 0),
            (Decimal::new(3, 0), Decimal::new(1_999_997, 0), 2),
            // Slightly less and slightly more than half.
            (Decimal::new(1, 0), Decimal::new(1_999_999_000_000_000_001, -12), 0),
            (Decimal::new(1, 0), Decimal::new(1_999_998_999_999_999_999, -12), 1),
        ] {
            assert_eq!(
                score(&met_and_not, Weights { hard: Magnitude(hard), soft: Magnitude(soft) }),
                expected,
                "{hard:?} {soft:?}"
            );
        }
    }

    #[test]
    fn rounding_agrees_with_long_division() {
        for (hard, soft) in (0_u64..40).flat_map(|hard| (0_u64..40).map(move |soft| (hard, soft))) {
            let (met, all) = (u128::from(hard), u128::from(hard + soft));
            if all == 0 {
                continue;
            }
            let (quotient, rest) = (met * 1_000_000 / all, met * 1_000_000 % all);
            let up = 2 * rest > all || 2 * rest == all && quotient % 2 == 1;
            let weights = Weights {
                hard: Magnitude(Decimal::new(hard, 7)),
                soft: Magnitude(Decimal::new(soft * 100, 5)),
            };
            let given = [
                ("a", Level::Hard, DiagnosticStatus::Satisfied),
                ("b", Level::Soft, DiagnosticStatus::Unknown),
            ];
            let expected = quotient + u128::from(up);
            assert_eq!(u128::from(score(&given, weights)), expected, "{hard} {soft}");
        }
    }
}

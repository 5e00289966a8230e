//! The four signs of stagnation (docs/reference/planning-gates.md).
//!
//! They are judged from the end of turn 3 on, over the turns since the switch of strategy.

use alloc::{format, string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{Decimal, order};

use super::numbers::NUMBERS;
use crate::documents::{
    deliberation::StagnationTrigger,
    ledger::{Ledger, Query, Turn},
};

/// A trigger with a pointer to its evidence.
#[derive(Clone, Debug)]
pub(super) struct Sign {
    pub trigger: StagnationTrigger,
    pub path: String,
}

/// The turns that count, and the index of the first of them.
struct CountedTurns<'l, 'a> {
    ledger: &'l Ledger<'a>,
    turns: &'l [Turn<'a>],
    start: usize,
}

/// Returns the pointer to the evidence of a trigger.
type SignCheck = fn(&CountedTurns<'_, '_>) -> Option<String>;

/// The checks, in the order of the triggers.
const CHECKS: &[(StagnationTrigger, SignCheck)] = &[
    (StagnationTrigger::RepeatedFailure, repeated_failure),
    (StagnationTrigger::NoNewFiles, no_new_files),
    (StagnationTrigger::ConfidencePlateau, confidence_plateau),
    (StagnationTrigger::RedundantQueries, redundant_queries),
];

/// The signs of stagnation.
pub(super) fn signs(ledger: &Ledger<'_>) -> Vec<Sign> {
    if ledger.last_number() < NUMBERS.stagnation_from_turn {
        return Vec::new();
    }
    let turns = ledger.turns_after(ledger.switch().map(|switch| switch.after_turn));
    let phase = CountedTurns { ledger, turns, start: ledger.turns.len() - turns.len() };
    let seen =
        CHECKS.iter().filter_map(|(trigger, check)| Some(Sign { trigger: *trigger, path: check(&phase)? }));
    seen.collect()
}

/// A failure that occurred too often: the turn of its first occurrence.
fn repeated_failure(phase: &CountedTurns<'_, '_>) -> Option<String> {
    let failures =
        phase.turns.iter().enumerate().filter_map(|(at, turn)| Some((turn.failure_signature?.0, at)));
    let failures: Vec<(&str, usize)> = failures.collect();
    let name = |at: usize| failures.get(at).map(|(name, _)| *name);
    let order = order::sorted_indices(failures.len(), &mut |left, right| name(left).cmp(&name(right)));
    let full = order.windows(NUMBERS.repeated_failures).filter_map(|run| match run {
        [first, .., last] if name(*first) == name(*last) => failures.get(*last).map(|(_, turn)| *turn),
        _ => None,
    });
    full.min().map(|turn| Ledger::path(phase.start + turn, "failure_signature"))
}

/// The last turns of the phase touched no file that is new to the whole ledger.
fn no_new_files(phase: &CountedTurns<'_, '_>) -> Option<String> {
    let before = phase.turns.len().checked_sub(NUMBERS.turns_without_files)?;
    let (old, recent) = phase.ledger.turns.split_at_checked(phase.start + before)?;
    let recent: Vec<&str> = files(recent).collect();
    if !recent.is_empty() {
        let known = order::names(files(old));
        if recent.iter().any(|file| !known.contains(file)) {
            return None;
        }
    }
    Some(phase.ledger.last_path("files"))
}

fn files<'l, 'a>(turns: &'l [Turn<'a>]) -> impl Iterator<Item = &'a str> + use<'l, 'a> {
    turns.iter().flat_map(|turn| &turn.files).map(|file| file.0)
}

/// Each of the last gains in confidence is small.
fn confidence_plateau(phase: &CountedTurns<'_, '_>) -> Option<String> {
    let first = phase.turns.len().checked_sub(NUMBERS.small_gains + 1)?;
    let is_small = |pair: &[Turn<'_>]| match pair {
        [earlier, later] => {
            let gain = Decimal::sign_of_sum(&[
                (1, later.confidence.0),
                (-1, earlier.confidence.0),
                (-1, NUMBERS.small_gain),
            ]);
            gain == Ordering::Less
        }
        _ => false,
    };
    let are_small = phase.turns.get(first..)?.windows(2).all(is_small);
    are_small.then(|| phase.ledger.last_path("confidence"))
}

/// A subject was queried at two sources without a synthesis in between: the first repeated query.
fn redundant_queries(phase: &CountedTurns<'_, '_>) -> Option<String> {
    /// A query with its position, and the number of syntheses before it.
    struct PhaseQuery<'a> {
        query: Query<'a>,
        syntheses: usize,
        turn: usize,
        place: usize,
    }
    let (mut queries, mut syntheses): (Vec<PhaseQuery<'_>>, _) = (Vec::new(), 0);
    for (turn, of_turn) in phase.turns.iter().enumerate() {
        for (place, query) in of_turn.queries.iter().enumerate() {
            queries.push(PhaseQuery { query: *query, syntheses, turn, place });
            // A synthesis covers its own query too, so later queries are not compared with earlier ones.
            syntheses += usize::from(query.synthesis);
        }
    }
    let topic = |at: usize| queries.get(at).map(|queries| (queries.syntheses, queries.query.key.0));
    let order = order::sorted_indices(queries.len(), &mut |left, right| topic(left).cmp(&topic(right)));
    let groups = order.chunk_by(|left, right| topic(*left) == topic(*right));
    let others = groups.filter_map(|group| {
        let source = |at: &usize| queries.get(*at).map(|queries| queries.query.source.0);
        let (first, rest) = group.split_first()?;
        rest.iter().copied().find(|other| source(other) != source(first))
    });
    // The indices follow the order of the queries.
    let first = queries.get(others.min()?)?;
    Some(format!("/turns/{}/queries/{}", phase.start + first.turn, first.place))
}

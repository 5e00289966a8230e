//! The four signs that an agent goes round in circles (PAO, layer 3).
//!
//! They are looked for at the end of turn 3 and later, over the turns since the switch of strategy.

use alloc::{format, string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{Decimal, json::object::texts, order};

use super::{
    gates::NUMBERS,
    ledger::Ledger,
    turn::{Query, Turn},
};
use crate::words::words;

words! {
    /// What shows that an agent goes round in circles.
    Trigger {
        /// The same failure came three times.
        RepeatedFailure = "repeated_failure",
        /// The last two turns touched no file that no turn before them had touched.
        NoNewFiles = "no_new_files",
        /// Confidence rose by less than 0.1, twice in a row.
        ConfidencePlateau = "confidence_plateau",
        /// The same was asked of two sources, and nothing was put together in between.
        RedundantQueries = "redundant_queries",
    }
}

/// A trigger, and where it shows.
#[derive(Clone, Debug)]
pub(super) struct Sign {
    pub trigger: Trigger,
    pub path: String,
}

/// The turns that count, and the place of the first of them.
struct Phase<'l, 'a> {
    ledger: &'l Ledger<'a>,
    turns: &'l [Turn<'a>],
    start: usize,
}

/// Where a trigger shows, if it does.
type Look = fn(&Phase<'_, '_>) -> Option<String>;

/// What shows each trigger, in the order of the triggers.
const LOOKS: &[(Trigger, Look)] = &[
    (Trigger::RepeatedFailure, repeated_failure),
    (Trigger::NoNewFiles, no_new_files),
    (Trigger::ConfidencePlateau, confidence_plateau),
    (Trigger::RedundantQueries, redundant_queries),
];

/// The signs of stagnation.
pub(super) fn signs(ledger: &Ledger<'_>) -> Vec<Sign> {
    if ledger.last_number() < NUMBERS.stagnation_from_turn {
        return Vec::new();
    }
    let turns = ledger.turns_after(ledger.switch.map(|switch| switch.after_turn));
    let phase = Phase { ledger, turns, start: ledger.turns.len() - turns.len() };
    let seen =
        LOOKS.iter().filter_map(|(trigger, look)| Some(Sign { trigger: *trigger, path: look(&phase)? }));
    seen.collect()
}

/// A failure that came as often as it may not: the turn at which the first one did.
fn repeated_failure(phase: &Phase<'_, '_>) -> Option<String> {
    let failures = phase.turns.iter().enumerate().filter_map(|(at, turn)| Some((turn.failure?, at)));
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
fn no_new_files(phase: &Phase<'_, '_>) -> Option<String> {
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
    turns.iter().filter_map(|turn| turn.files).flat_map(texts)
}

/// The last gains of the phase are small, each.
fn confidence_plateau(phase: &Phase<'_, '_>) -> Option<String> {
    let first = phase.turns.len().checked_sub(NUMBERS.small_gains + 1)?;
    let is_small = |pair: &[Turn<'_>]| match pair {
        [earlier, later] => {
            let gain = Decimal::sign_of_sum(&[
                (1, later.confidence),
                (-1, earlier.confidence),
                (-1, NUMBERS.small_gain),
            ]);
            gain == Ordering::Less
        }
        _ => false,
    };
    let are_small = phase.turns.get(first..)?.windows(2).all(is_small);
    are_small.then(|| phase.ledger.last_path("confidence"))
}

/// Something was asked of another source before anything was put together: the first such query.
fn redundant_queries(phase: &Phase<'_, '_>) -> Option<String> {
    /// A query with the number of syntheses before it, and where it stands.
    struct Asked<'a> {
        query: Query<'a>,
        syntheses: usize,
        turn: usize,
        place: usize,
    }
    let (mut asked, mut syntheses): (Vec<Asked<'_>>, _) = (Vec::new(), 0);
    for (turn, of_turn) in phase.turns.iter().enumerate() {
        for (place, query) in of_turn.queries.iter().enumerate() {
            asked.push(Asked { query: *query, syntheses, turn, place });
            // It covers its own query too, so what comes next is compared with none of these.
            syntheses += usize::from(query.is_synthesis);
        }
    }
    let topic = |at: usize| asked.get(at).map(|asked| (asked.syntheses, asked.query.key));
    let order = order::sorted_indices(asked.len(), &mut |left, right| topic(left).cmp(&topic(right)));
    let groups = order.chunk_by(|left, right| topic(*left) == topic(*right));
    let others = groups.filter_map(|group| {
        let source = |at: &usize| asked.get(*at).map(|asked| asked.query.source);
        let (first, rest) = group.split_first()?;
        rest.iter().copied().find(|other| source(other) != source(first))
    });
    // They stand in the order in which they were asked.
    let first = asked.get(others.min()?)?;
    Some(format!("/turns/{}/queries/{}", phase.start + first.turn, first.place))
}

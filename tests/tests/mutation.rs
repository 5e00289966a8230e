//! Random calls: fixtures shuffled, spliced with one another, and damaged.
//!
//! Most results are still envelopes, in combinations that the corpus does not have. The seed is fixed, so a run gives
//! the same result on every machine. `PROPTEST_CASES` makes it longer, and `tests/fuzz` searches further.

use std::{collections::BTreeMap, sync::OnceLock};

use adjudicate_core::Operation;
use adjudicate_tests::{Corpus, Fixture};
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    sample::Index,
    test_runner::{Config, RngSeed},
};

use crate::json::Json;

/// Integers at the limits of thresholds and counters.
const INTEGERS: [i64; 8] = [-1, 0, 1, 2, 3, 4, 1_000, i64::MAX];

/// The most edits of a call.
const MOST_EDITS: usize = 6;

/// The settings of every property here.
pub(crate) fn config() -> Config {
    Config { rng_seed: RngSeed::Fixed(0x0AD0), failure_persistence: None, ..Config::default() }
}

/// The fixtures whose calls `evaluate` accepts; `refine` accepts them, too.
pub(crate) fn accepted() -> &'static [Fixture] {
    static ACCEPTED: OnceLock<Vec<Fixture>> = OnceLock::new();
    ACCEPTED.get_or_init(|| accepted_by(Operation::Evaluate))
}

/// The fixtures of an operation whose calls it accepts.
pub(crate) fn accepted_by(operation: Operation) -> Vec<Fixture> {
    let mut fixtures = Corpus::read().expect("the corpus can be read").fixtures;
    // Some calls are nested to the limit, which is too deep for the tree's own reader.
    fixtures.retain(|one| {
        one.operation == operation && operation.call(&one.call).is_ok() && Json::parse(&one.call).is_some()
    });
    fixtures
}

/// The call of some accepted fixture, as a tree.
pub(crate) fn calls() -> impl Strategy<Value = Json> {
    any::<Index>().prop_map(|index| parse(index.get(accepted())))
}

/// Such a call after some edits. Each edit leaves it JSON, and most leave it a call.
pub(crate) fn edited_calls() -> impl Strategy<Value = Json> {
    edited(any::<Index>().prop_map(|index| index.get(accepted())))
}

/// The call of a fixture after some edits.
pub(crate) fn edited(fixtures: impl Strategy<Value = &'static Fixture>) -> impl Strategy<Value = Json> {
    let edits = vec((any::<usize>(), any::<u8>(), any::<usize>()), 0..=MOST_EDITS);
    (fixtures, edits).prop_map(|(fixture, edits)| {
        let mut call = parse(fixture);
        for (place, kind, choice) in edits {
            edit(&mut call, place, kind, choice);
        }
        call
    })
}

/// The same tree, with the fields of every object in an order that `keys` decides.
pub(crate) fn shuffled(mut tree: Json, keys: &[usize]) -> Json {
    let mut turn = keys.iter().cycle();
    tree.walk_mut("", &mut |_, value| {
        if let Json::Object(members) = value {
            members.sort_by_cached_key(|_| *turn.next().expect("there is at least one key"));
        }
    });
    tree
}

fn parse(fixture: &Fixture) -> Json {
    Json::parse(&fixture.call).unwrap_or_else(|| panic!("`{}` is accepted, so it is JSON", fixture.name))
}

/// Changes one value of the tree: number `place`, modulo the number of values.
fn edit(tree: &mut Json, place: usize, kind: u8, choice: usize) {
    let mut count = 0;
    tree.walk("", &mut |_, _| count += 1);
    let mut left = place % count;
    let mut done = false;
    tree.walk_mut("", &mut |name, value| {
        if !done && left == 0 {
            edit_value(name, value, kind, choice);
            done = true;
        }
        left = left.saturating_sub(1);
    });
}

fn edit_value(name: &str, value: &mut Json, kind: u8, choice: usize) {
    let donor = donors().get(name).map(|values| &values[choice % values.len()]);
    match (kind % 4, value) {
        (0, value) => donor.into_iter().for_each(|donor| *value = donor.clone()),
        (1, Json::List(items)) if !items.is_empty() => items.push(items[choice % items.len()].clone()),
        (2, Json::List(items)) if !items.is_empty() => drop(items.remove(choice % items.len())),
        (2, Json::Object(members)) if !members.is_empty() => drop(members.remove(choice % members.len())),
        (3, Json::Integer(value)) => *value = INTEGERS[choice % INTEGERS.len()],
        (_, Json::Object(members)) => {
            let Some(Json::Object(donor)) = donor else { return };
            let Some((key, value)) = donor.get(choice / 7 % donor.len().max(1)) else { return };
            if members.iter().all(|(present, _)| present != key) {
                members.push((key.clone(), value.clone()));
            }
        }
        _ => {}
    }
}

/// Every value of the corpus, by the name of its field.
fn donors() -> &'static BTreeMap<String, Vec<Json>> {
    static DONORS: OnceLock<BTreeMap<String, Vec<Json>>> = OnceLock::new();
    DONORS.get_or_init(|| {
        let mut donors: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for fixture in accepted() {
            parse(fixture)
                .walk("", &mut |name, value| donors.entry(name.to_owned()).or_default().push(value.clone()));
        }
        donors
    })
}

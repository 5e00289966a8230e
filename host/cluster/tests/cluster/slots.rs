//! Changes of slots: each change takes effect on all hosts or on none.

use adjudicate_host::{ChangeReason, Composition, SlotSettings, codes};

use crate::{
    bed::{Bed, SLOT, open, signed},
    nats::{Nats, until},
};

#[test]
fn one_of_two_concurrent_changes_wins() {
    let nats = Nats::start();
    let [one, two] = [Bed::join(&nats), Bed::join(&nats)];
    one.create();
    two.reaches(one.entry());
    let [a, b] = [one.install(&signed("1.0.0", "a", 1)), two.install(&signed("1.0.0", "b", 1))];
    let mut wins = [0, 0];
    for round in 0..20 {
        let before = one.entry();
        two.reaches(before);
        let barrier = std::sync::Barrier::new(2);
        let [first, second] = std::thread::scope(|scope| {
            let barrier = &barrier;
            let change = move |bed: &Bed, module| {
                let slot = bed.slots.slot(SLOT).unwrap();
                barrier.wait();
                let why = ChangeReason { note: format!("round {round}"), expected: Some(before) };
                slot.activate(Composition::new(module), &why)
            };
            let other = scope.spawn({
                let one = &one;
                move || change(one, a)
            });
            let mine = change(&two, b);
            [other.join().unwrap(), mine]
        });
        let winner = match (&first, &second) {
            (Ok(entry), Err(error)) | (Err(error), Ok(entry)) => {
                assert_eq!(error.code(), codes::SLOT_CHANGED, "{error}");
                entry.id
            }
            both => panic!("one of two changes wins: {both:?}"),
        };
        wins[usize::from(first.is_err())] += 1;
        [&one, &two].into_iter().for_each(|bed| bed.reaches(winner));
        assert_eq!(one.flag(), two.flag());
    }
    let [first, second] = [&one, &two].map(|bed| bed.slots.slot(SLOT).unwrap().history(100).unwrap());
    assert_eq!(first, second, "the histories are the same, with the same numbers");
    assert_eq!(first.len(), 21, "{wins:?}");
}

#[test]
fn three_hosts_agree_and_a_new_one_can_roll_back() {
    let nats = Nats::start();
    let beds = [Bed::join(&nats), Bed::join(&nats), Bed::join(&nats)];
    beds[0].create();
    for (turn, flag) in ["a", "b", "c"].into_iter().enumerate() {
        let entry = beds[turn].entry();
        beds.iter().for_each(|bed| bed.reaches(beds[turn].entry().max(entry)));
        let put = beds[turn].activate(&signed(&format!("1.{turn}.0"), flag, 1));
        for bed in &beds {
            bed.reaches(put.id);
            assert_eq!(bed.flag(), flag);
        }
    }
    let late = Bed::join(&nats);
    assert_eq!((late.entry(), late.flag().as_str()), (beds[0].entry(), "c"));
    let history = |bed: &Bed| bed.slots.slot(SLOT).unwrap().history(100).unwrap();
    assert!(beds.iter().all(|bed| history(bed) == history(&late)));
    let back = late.slots.slot(SLOT).unwrap().rollback(None, &ChangeReason::default()).unwrap();
    for bed in beds.iter().chain([&late]) {
        bed.reaches(back.id);
        assert_eq!(bed.flag(), "b");
        bed.is_well();
    }
}

#[test]
fn two_concurrent_creations_make_one_slot() {
    let nats = Nats::start();
    let beds = [Bed::join(&nats), Bed::join(&nats)];
    let made = std::thread::scope(|scope| {
        let beds = &beds;
        let make =
            |bed: &Bed| bed.slots.create(SLOT, SlotSettings::default(), &ChangeReason::default()).map(drop);
        let other = scope.spawn(move || make(&beds[0]));
        [make(&beds[1]), other.join().unwrap()]
    });
    assert!(made.iter().any(Result::is_ok), "{made:?}");
    let entry = until_one(&beds);
    assert!(entry > 0);
}

/// Waits until both hosts are in the same entry. Returns its number.
fn until_one(beds: &[Bed; 2]) -> i64 {
    until("one entry", || beds[0].entry() > 0 && beds[0].entry() == beds[1].entry());
    beds[0].entry()
}

#[test]
fn names_that_cannot_be_keys_are_refused() {
    let nats = Nats::start();
    let bed = Bed::join(&nats);
    for name in ["a..b", "a."] {
        let error =
            bed.slots.create(name, SlotSettings::default(), &ChangeReason::default()).map(drop).unwrap_err();
        assert_eq!(error.code(), codes::WRONG_USAGE, "{name}: {error}");
    }
    bed.slots.create("team-a.release_2", SlotSettings::default(), &ChangeReason::default()).unwrap();
}

#[test]
fn without_a_connection_changes_fail_and_calls_are_answered() {
    let mut nats = Nats::start();
    let bed = Bed::join(&nats);
    bed.create();
    let entry = bed.activate(&signed("1.0.0", "a", 1)).id;
    let next = bed.install(&signed("2.0.0", "b", 1));
    nats.kill();
    until("the connection is lost", || !bed.cluster.is_connected());
    let slot = bed.slots.slot(SLOT).unwrap();
    let error = slot.activate(Composition::new(next), &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT, "{error}");
    assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "a"));
    assert!(bed.following.as_ref().unwrap().problem().is_some());
    nats.run();
    until("the connection is back", || bed.following.as_ref().unwrap().problem().is_none());
    assert_eq!(bed.entry(), entry);
    slot.activate(Composition::new(next), &ChangeReason::default()).unwrap();
    assert_eq!(bed.flag(), "b");
}

#[test]
fn a_store_stays_with_its_cluster() {
    let nats = Nats::start();
    let bed = Bed::join(&nats);
    bed.create();
    let Bed { directory, slots, following, cluster } = bed;
    drop((following, slots));
    let other =
        adjudicate_cluster::ClusterSettings { name: "other".to_owned(), ..crate::bed::settings(&nats) };
    let other = adjudicate_cluster::Cluster::connect(&other).unwrap();
    let error = open(&other, directory.path()).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::WRONG_USAGE);
    assert!(error.message().contains(cluster.id()) && error.message().contains(other.id()), "{error}");
    assert_eq!(open(&cluster, directory.path()).unwrap().slots().unwrap().len(), 1);
}

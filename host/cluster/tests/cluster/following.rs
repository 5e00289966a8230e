//! Following: hosts that were away, killed servers, and rejected entries.

use adjudicate_host::{ChangeReason, Composition, InstallOptions, codes};

use crate::{
    bed::{Bed, SLOT, open, signed, trusting, unsigned},
    nats::{Nats, until},
};

#[test]
fn a_host_that_was_away_catches_up_before_it_answers() {
    let nats = Nats::start();
    let [one, two] = [Bed::join(&nats), Bed::join(&nats)];
    one.create();
    let first = one.activate(&signed("1.0.0", "a", 1));
    two.reaches(first.id);
    let Bed { directory, slots, following, .. } = two;
    drop((following, slots));
    one.activate(&signed("1.1.0", "b", 1));
    let last = one.activate(&signed("1.2.0", "c", 1));
    let two = Bed::alone(&nats, directory);
    assert_eq!(two.flag(), "a", "what it had decides until it follows");
    let two = two.following();
    assert_eq!((two.entry(), two.flag().as_str()), (last.id, "c"));
    let history = |bed: &Bed| bed.slots.slot(SLOT).unwrap().history(100).unwrap();
    assert_eq!(history(&one), history(&two));
}

#[test]
fn killed_servers_lose_no_acknowledged_change() {
    let mut nats = Nats::start();
    let [one, two] = [Bed::join(&nats), Bed::join(&nats)];
    one.create();
    for round in 0..4 {
        let flag = format!("f{round}");
        let put = one.activate(&signed(&format!("1.{round}.0"), &flag, 1));
        nats.kill();
        until("the connections are lost", || !one.cluster.is_connected() && !two.cluster.is_connected());
        assert_eq!(one.flag(), flag);
        nats.run();
        until("the connections are back", || one.cluster.is_connected() && two.cluster.is_connected());
        two.reaches(put.id);
        assert_eq!(two.flag(), flag);
    }
    [&one, &two].into_iter().for_each(Bed::is_well);
}

#[test]
fn each_host_judges_by_its_own_rules_and_retries() {
    let nats = Nats::start();
    let [one, two] = [Bed::join(&nats), Bed::join(&nats)];
    one.create();
    let first = one.activate(&signed("1.0.0", "a", 1));
    two.reaches(first.id);
    // One host starts to trust another key. The other host is not affected.
    one.slots.set_trust(Some(SLOT), &trusting(2)).unwrap();
    let terms = InstallOptions { slot: Some(SLOT.to_owned()), unsigned: false };
    let module = one.slots.install(&signed("2.0.0", "b", 2), &terms).unwrap().module.digest;
    let slot = one.slots.slot(SLOT).unwrap();
    let second = slot.activate(Composition::new(module), &ChangeReason::default()).unwrap();
    two.is_troubled("module_untrusted_key");
    assert_eq!((two.entry(), two.flag().as_str()), (first.id, "a"));
    assert!(two.store().module(module).is_err(), "what is not trusted is not installed");
    // The slot cannot be changed from there, and the error has the reason.
    let error = two.slots.slot(SLOT).unwrap().shadow(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::SLOT_CHANGED);
    assert!(error.message().contains("rejects"), "{error}");
    // A new host has no earlier state.
    let late = Bed::join(&nats);
    late.is_troubled("module_untrusted_key");
    assert_eq!(late.entry(), 0, "nothing that it refuses decides there");
    two.slots.set_trust(Some(SLOT), &trusting(2)).unwrap();
    two.reaches(second.id);
    two.is_well();
    assert_eq!(two.flag(), "b");
}

#[test]
fn unsigned_modules_answer_only_on_hosts_that_allow_them() {
    let nats = Nats::start();
    let two = Bed::join(&nats);
    let one = Bed::alone(&nats, tempfile::tempdir().unwrap());
    let directory = one.directory.path().join("allowing");
    let store = adjudicate_host::Store::open(&directory).unwrap();
    let host = adjudicate_sandbox::Host::new(adjudicate_sandbox::HostSettings::default()).unwrap();
    let slots = adjudicate_host::Slots::open_shared(store, host, one.cluster.ledger(), true).unwrap();
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let module = slots.install(&unsigned("1.0.0", "a"), &terms).unwrap().module.digest;
    let slot =
        slots.create(SLOT, adjudicate_host::SlotSettings::default(), &ChangeReason::default()).unwrap();
    let made = slot.entry().id;
    two.reaches(made);
    slot.activate(Composition::new(module).unsigned(), &ChangeReason::default()).unwrap();
    two.is_troubled("module_unsigned");
    assert_eq!(two.entry(), made);
}

#[test]
fn a_missing_module_is_fetched_when_it_appears() {
    let nats = Nats::start();
    let [one, two] = [Bed::join(&nats), Bed::join(&nats)];
    one.create();
    let bytes = signed("1.0.0", "a", 1);
    let digest = one.install(&bytes);
    // The module is removed from the store before another host fetched it.
    let (jetstream, name) = (one.cluster.jetstream(), digest.to_string());
    one.cluster.handle().block_on(async move {
        jetstream.get_object_store("adjudicate-modules").await.unwrap().delete(name).await.unwrap();
    });
    let state = adjudicate_host::SlotState { active: Some(Composition::new(digest)), ..Default::default() };
    let settings = adjudicate_host::SlotSettings::default();
    let proposed = adjudicate_host::Proposed {
        at: 1,
        action: adjudicate_host::SlotAction::Activate,
        note: "",
        state: &state,
        settings: &settings,
    };
    two.reaches(one.entry());
    let put = one.cluster.ledger().put(SLOT, Some(one.entry()), &proposed).unwrap();
    one.reaches(put);
    two.is_troubled("unknown_module");
    one.cluster.keep(digest, &bytes).unwrap();
    two.reaches(put);
    two.is_well();
    assert_eq!(two.flag(), "a");
}

#[test]
fn slots_without_a_ledger_cannot_follow() {
    let nats = Nats::start();
    let bed = Bed::join(&nats);
    let directory = tempfile::tempdir().unwrap();
    let store = adjudicate_host::Store::open(&directory.path().join("store")).unwrap();
    let host = adjudicate_sandbox::Host::new(adjudicate_sandbox::HostSettings::default()).unwrap();
    let slots = adjudicate_host::Slots::open(store, host).unwrap();
    slots.create(SLOT, adjudicate_host::SlotSettings::default(), &ChangeReason::default()).unwrap();
    let error = slots.store().host_id().map(|id| assert_eq!(id, None));
    assert_eq!(error, Ok(()));
    drop(slots);
    let error = open(&bed.cluster, directory.path()).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::WRONG_USAGE, "{error}");
}

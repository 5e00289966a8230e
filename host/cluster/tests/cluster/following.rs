//! Following: hosts that were away, killed servers, and rejected entries.

use std::time::Duration;

use adjudicate_cluster::{Cluster, ClusterSettings};
use adjudicate_host::{ChangeReason, Composition, InstallOptions, SlotSettings, codes};

use crate::{
    bed::{Bed, SLOT, open, signed, trusting, unsigned},
    nats::{LIMIT, Nats, free_port, until, within},
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

/// The patience of clients. The test does not depend on it: failed requests are repeated, and shorter waits repeat them sooner
/// while the servers have no leader.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time for such repetitions.
const SETTLED: Duration = LIMIT.saturating_mul(5);

/// Three servers in one NATS cluster.
fn servers() -> [Nats; 3] {
    let ports = [free_port(), free_port(), free_port()];
    let routes = ports.map(|port| format!("nats-route://127.0.0.1:{port}")).join(", ");
    [0, 1, 2].map(|index: usize| {
        let lines = format!(
            "server_name: s{index}\ncluster {{ name: three, listen: \"127.0.0.1:{}\", routes: [{routes}] }}",
            ports[index]
        );
        Nats::start_with(|_| Some(lines))
    })
}

/// Joins when the servers have a leader.
fn join(servers: &[Nats; 3]) -> Bed {
    let url = servers.each_ref().map(Nats::url).join(",");
    let settings = ClusterSettings { replicas: 3, patience: PATIENCE, ..ClusterSettings::at(url) };
    let mut cluster = Cluster::connect(&settings);
    within(SETTLED, "the servers agree", || {
        if cluster.is_err() {
            cluster = Cluster::connect(&settings);
        }
        cluster.is_ok()
    });
    let cluster = cluster.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let slots = open(&cluster, directory.path()).unwrap();
    slots.set_trust(None, &trusting(1)).unwrap();
    let mut following = None;
    within(SETTLED, "the slots follow", || {
        following = cluster.follow(&slots).ok();
        following.is_some()
    });
    Bed { cluster, slots, following, directory }
}

#[test]
fn any_one_server_may_be_killed() {
    let mut servers = servers();
    let beds = [join(&servers), join(&servers)];
    let settings = SlotSettings::parse(br#"{"records":{}}"#).unwrap();
    within(SETTLED, "the slot is made", || {
        beds[0].slots.create(SLOT, settings.clone(), &ChangeReason::default()).is_ok()
    });
    let forwarding = beds.each_ref().map(|bed| bed.cluster.forward_records(bed.store()).unwrap());
    for index in 0..3 {
        servers[index].kill();
        let flag = format!("f{index}");
        let digest = adjudicate_sandbox::Digest::sha256(&signed(&format!("1.{index}.0"), &flag, 1));
        // After the leader is killed, requests fail for some seconds, or their outcome is unknown.
        within(SETTLED, "the slot is changed", || {
            let bed = &beds[index % 2];
            let module = signed(&format!("1.{index}.0"), &flag, 1);
            if bed.slots.install(&module, &adjudicate_host::InstallOptions::default()).is_err() {
                return false;
            }
            let slot = bed.slots.slot(SLOT).unwrap();
            let is_active = slot.entry().state.active.is_some_and(|active| active.base.module == digest);
            is_active
                || slot.activate(adjudicate_host::Composition::new(digest), &ChangeReason::default()).is_ok()
        });
        for bed in &beds {
            within(SETTLED, "all follow", || bed.flag() == flag);
        }
        servers[index].run();
    }
    let histories = beds.each_ref().map(|bed| bed.slots.slot(SLOT).unwrap().history(100).unwrap());
    assert_eq!(histories[0], histories[1]);
    beds.iter().for_each(Bed::is_well);
    beds.iter().for_each(|bed| bed.slots.close().unwrap());
    forwarding.into_iter().for_each(|forwarding| forwarding.finish(SETTLED).unwrap());
    for bed in &beds {
        let (mut lines, host) = (Vec::new(), bed.store().host_id().unwrap().unwrap());
        within(SETTLED, "the records are read", || {
            lines.clear();
            let exported = bed.cluster.export_records(SLOT, Some(&host), |line| {
                lines.push(line.to_owned());
                Ok::<_, adjudicate_core::Error>(())
            });
            exported.is_ok()
        });
        assert_eq!(u64::try_from(lines.len()).unwrap(), bed.store().verify_records(SLOT, &[]).unwrap().1);
    }
}

//! Swaps of a whole cluster under load, and concurrent changes of one entry.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

use super::{
    hosts::{Cluster, all_in},
    nats_client::NatsClient,
};
use crate::{
    client::ENVELOPE,
    modules::{answer_with, flagging},
};

const SWAPS: usize = 50;

#[test]
fn swaps_of_all_hosts_fail_no_call_and_each_answer_names_its_version() {
    let cluster = Cluster::new();
    let hosts = ["a", "b", "c"].map(|name| cluster.host(name));
    let versions =
        ["one", "two"].map(|flag| (cluster.install("ops", &flagging("1.0.0", flag)), answer_with(flag)));
    let mut last = cluster.activate("ops", &versions[0].0);
    all_in(&hosts.each_ref(), last);
    let is_over = AtomicBool::new(false);
    let answered = [const { AtomicU32::new(0) }; 3];
    let seen = thread::scope(|scope| {
        let callers: Vec<_> = answered
            .iter()
            .map(|answered| {
                let (cluster, versions, is_over) = (&cluster, &versions, &is_over);
                scope.spawn(move || {
                    let nats_client = NatsClient::to(&cluster.nats.url());
                    let mut seen = [0, 0];
                    while !is_over.load(Ordering::Relaxed) {
                        let reported = nats_client.ask("adjudicate.v1.slots.release.evaluate", ENVELOPE);
                        let version = versions.iter().position(|(_, answer)| *answer == reported.body);
                        let version = version.unwrap_or_else(|| panic!("of neither version: {reported:?}"));
                        assert_eq!(reported.header("adjudicate-modules"), Some(versions[version].0.as_str()));
                        seen[version] += 1;
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    seen
                })
            })
            .collect();
        for turn in 1..=SWAPS {
            let before = answered.each_ref().map(|count| count.load(Ordering::Relaxed));
            let entry = cluster.activate("ops", &versions[turn % 2].0);
            assert!(entry > last);
            last = entry;
            // Every client gets an answer between two swaps, or during one.
            let went_on =
                || answered.iter().zip(before).all(|(now, then)| now.load(Ordering::Relaxed) > then);
            while !went_on() && callers.iter().all(|caller| !caller.is_finished()) {
                thread::yield_now();
            }
        }
        all_in(&hosts.each_ref(), last);
        is_over.store(true, Ordering::Relaxed);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    for counts in seen {
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
}

#[test]
fn of_several_who_change_the_same_entry_exactly_one_succeeds() {
    let cluster = Cluster::new();
    let hosts = ["a", "b"].map(|name| cluster.host(name));
    let stores = ["ops-0", "ops-1", "ops-2", "ops-3"];
    let modules: Vec<_> = (0..stores.len()).map(|index| flagging("1.0.0", &format!("f{index}"))).collect();
    let digests: Vec<_> =
        stores.iter().zip(&modules).map(|(store, module)| cluster.install(store, module)).collect();
    let mut current = cluster.activate(stores[0], &digests[0]);
    for _ in 0..5 {
        let expected = current.to_string();
        let runs: Vec<_> = thread::scope(|scope| {
            let verbs: Vec<_> = stores
                .iter()
                .zip(&digests)
                .map(|(store, digest)| {
                    let args = ["activate", "release", digest, "--allow-unsigned", "--expected", &expected];
                    let cluster = &cluster;
                    scope.spawn(move || cluster.verb(store, &args))
                })
                .collect();
            verbs.into_iter().map(|verb| verb.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.status == 0);
        assert_eq!(won.len(), 1, "{runs:?}");
        for run in lost {
            assert_eq!(run.error(), (64, "slot_changed".to_owned()), "{run:?}");
        }
        current = won[0].json()["id"].as_i64().unwrap();
        all_in(&hosts.each_ref(), current);
    }
}

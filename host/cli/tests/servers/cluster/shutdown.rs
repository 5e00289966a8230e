//! Hosts that end, well or not, while others call.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{hosts::Cluster, nats::until, nats_client::NatsClient};
use crate::client::ENVELOPE;

#[test]
fn a_host_that_shuts_down_loses_no_call() {
    let cluster = Cluster::new();
    let _stays = cluster.host("a");
    let is_over = AtomicBool::new(false);
    let answered = AtomicU32::new(0);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let nats_client = NatsClient::to(&cluster.nats.url());
                    while !is_over.load(Ordering::Relaxed) {
                        for reported in nats_client.ask_all("adjudicate.v1.evaluate", ENVELOPE, 10) {
                            let reported =
                                reported.unwrap_or_else(|error| panic!("a call was lost: {error:?}"));
                            assert!(reported.is_answer(), "{reported:?}");
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        for turn in 0..4 {
            let mut leaves = cluster.host("b");
            let before = answered.load(Ordering::Relaxed);
            until("calls are answered", || {
                answered.load(Ordering::Relaxed) > before + 100
                    || callers.iter().any(|caller| caller.is_finished())
            });
            leaves.signal(if turn % 2 == 0 { "TERM" } else { "INT" });
            let (status, reported) = leaves.end();
            assert_eq!(status.code(), Some(0), "{reported}");
            let ended: Value = serde_json::from_str(reported.lines().last().unwrap()).unwrap();
            assert_eq!((&ended["ended"], &ended["messages_cut"]), (&true.into(), &0.into()), "{reported}");
            assert_eq!(ended["records_forwarded"], true, "{reported}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn after_a_host_was_killed_others_answer() {
    let cluster = Cluster::new();
    let _stays = cluster.host("a");
    let is_over = AtomicBool::new(false);
    let answered = AtomicU32::new(0);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let nats_client = NatsClient::to(&cluster.nats.url());
                    while !is_over.load(Ordering::Relaxed) {
                        // Calls in progress on the killed host get no answer.
                        match nats_client.ask_within(
                            "adjudicate.v1.evaluate",
                            ENVELOPE,
                            Duration::from_secs(5),
                        ) {
                            Ok(reported) => {
                                assert!(reported.is_answer(), "{reported:?}");
                                answered.fetch_add(1, Ordering::Relaxed)
                            }
                            Err(_) => continue,
                        };
                    }
                })
            })
            .collect();
        for _ in 0..3 {
            let mut dies = cluster.host("b");
            let go_on = |more: u32| {
                let before = answered.load(Ordering::Relaxed);
                until("calls are answered", || {
                    answered.load(Ordering::Relaxed) > before + more
                        || callers.iter().any(|caller| caller.is_finished())
                });
            };
            go_on(50);
            dies.child.kill().unwrap();
            dies.child.wait().unwrap();
            go_on(50);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    // From now on, no call goes to the killed host.
    let nats_client = NatsClient::to(&cluster.nats.url());
    for _ in 0..100 {
        assert!(nats_client.ask("adjudicate.v1.evaluate", ENVELOPE).is_answer());
    }
}

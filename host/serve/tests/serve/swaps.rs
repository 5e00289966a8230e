//! Swapping while others call: no call fails, each is answered by one version wholly, and the headers say which.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use adjudicate_host::{ChangeReason, InstallOptions, SlotSettings};

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, request},
    modules::{TestStore, answer_with, flagging},
};

const SWAPS: u32 = 300;

/// Ends the callers when the test ends, even by a panic: otherwise the scope would wait for them.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn hundreds_of_swaps_fail_no_call_and_each_answer_names_its_version() {
    let place = TestStore::new();
    let terms = InstallOptions { slot: None, unsigned: true };
    let versions: Vec<_> = [("1.0.0", "one"), ("1.0.0", "two")]
        .iter()
        .map(|(version, flag)| {
            let digest = place.slots.install(&flagging(version, flag), &terms).unwrap().module.digest;
            (digest.to_string(), answer_with(flag))
        })
        .collect();
    place.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let admin = format!("Bearer {}", place.admin);
    let evaluate = format!("Bearer {}", place.evaluate);
    let mut operator = Client::to(place.server.address());
    let mut activate = |turn: u32| {
        let (digest, _) = &versions[turn as usize % 2];
        let change = format!(r#"{{"composition":{{"base":{{"module":"{digest}","unsigned":true}}}}}}"#);
        let headers = [JSON, ("authorization", admin.as_str())];
        let reply = operator.ask(request("POST", "/v1/slots/release/activate", &headers, change));
        assert_eq!(reply.status, 200, "{reply:?}");
        (reply.json()["id"].as_i64().unwrap(), turn as usize % 2)
    };
    let mut entries = BTreeMap::from([activate(0)]);
    let is_over = AtomicBool::new(false);
    let answered = [const { AtomicU32::new(0) }; 4];
    let seen = std::thread::scope(|scope| {
        let _over = Over(&is_over);
        // Two that ask on connections of their own that last, one for each call, and one that streams.
        let callers: Vec<_> = answered
            .iter()
            .enumerate()
            .map(|(index, answered)| {
                let (place, evaluate, versions, is_over) = (&place, &evaluate, &versions, &is_over);
                scope.spawn(move || {
                    let kind = if index == 3 { LINES } else { JSON };
                    let headers = [kind, ("authorization", evaluate.as_str())];
                    let call = request("POST", "/v1/slots/release/evaluate", &headers, ENVELOPE);
                    let mut client = Client::to(place.server.address());
                    let mut seen = Vec::new();
                    while !is_over.load(Ordering::Relaxed) {
                        if index == 2 {
                            client = Client::to(place.server.address());
                        }
                        let reply = client.ask(&call);
                        assert_eq!(reply.status, 200, "{reply:?}");
                        let version =
                            versions.iter().position(|(_, answer)| *answer == reply.body.trim_end());
                        let version = version.unwrap_or_else(|| panic!("of neither version: {reply:?}"));
                        if index < 3 {
                            assert_eq!(
                                reply.header("adjudicate-modules"),
                                Some(versions[version].0.as_str())
                            );
                            assert_eq!(reply.header("adjudicate-by"), Some("active"));
                            let entry = reply.header("adjudicate-entry").unwrap();
                            seen.push((entry.parse::<i64>().unwrap(), version));
                        }
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    seen
                })
            })
            .collect();
        for turn in 1..=SWAPS {
            // Every client gets an answer between two swaps, or during one.
            let before = answered.each_ref().map(|count| count.load(Ordering::Relaxed));
            entries.extend([activate(turn)]);
            if turn % 10 == 0 {
                let went_on =
                    || answered.iter().zip(before).all(|(now, then)| now.load(Ordering::Relaxed) > then);
                while !went_on() && callers.iter().all(|caller| !caller.is_finished()) {
                    std::thread::yield_now();
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(entries.len(), SWAPS as usize + 1);
    for calls in seen.iter().take(3) {
        assert!(calls.len() >= 30, "{}", calls.len());
        // The entry was activated with this version, and no later answer comes from a replaced entry.
        assert!(calls.iter().all(|(entry, version)| entries.get(entry) == Some(version)));
        assert!(calls.is_sorted_by_key(|(entry, _)| *entry));
        assert!([0, 1].iter().all(|version| calls.iter().any(|(_, by)| by == version)));
    }
}

//! Swapping while others call: no call fails, each is answered by one version wholly, and the headers say which.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use adjudicate_host::{InstallOptions, SlotSettings};

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, request},
    modules::{TestStore, activate, answer_with, flagging},
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
    activate(&place.slots, "release", SlotSettings::default(), &flagging("1.0.0", "one"));
    let terms = InstallOptions { slot: None, unsigned: true };
    let versions = [("1.0.0", "one"), ("1.0.0", "two")].map(|(version, flag)| {
        let digest = place.slots.install(&flagging(version, flag), &terms).unwrap().module.digest;
        (digest.to_string(), answer_with(flag))
    });
    let is_over = AtomicBool::new(false);
    let answered = [const { AtomicU32::new(0) }; 2];
    std::thread::scope(|scope| {
        let _over = Over(&is_over);
        // One sends calls, and one streams, each on a connection of its own.
        let callers = [JSON, LINES].into_iter().zip(&answered).map(|(kind, answered)| {
            let (place, versions, is_over) = (&place, &versions, &is_over);
            scope.spawn(move || {
                let bearer = format!("Bearer {}", place.evaluate);
                let headers = [kind, ("authorization", bearer.as_str())];
                let call = request("POST", "/v1/slots/release/evaluate", &headers, ENVELOPE);
                let mut client = Client::to(place.server.address());
                let (mut last, mut seen) = (0, [0; 2]);
                while !is_over.load(Ordering::Relaxed) {
                    let reply = client.ask(&call);
                    assert_eq!(reply.status, 200, "{reply:?}");
                    let version = versions.iter().position(|(_, answer)| *answer == reply.body.trim_end());
                    let version = version.unwrap_or_else(|| panic!("of neither version: {reply:?}"));
                    if kind == JSON {
                        assert_eq!(reply.header("adjudicate-modules"), Some(versions[version].0.as_str()));
                        // The entries alternate, and no later answer comes from a replaced entry.
                        let entry = reply.header("adjudicate-entry").unwrap().parse::<usize>().unwrap();
                        assert!(entry >= last && entry % 2 == version, "{entry} after {last}, {version}");
                        last = entry;
                    }
                    seen[version] += 1;
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
            })
        });
        let callers: Vec<_> = callers.collect();
        for turn in 1..=SWAPS {
            let before = answered.each_ref().map(|count| count.load(Ordering::Relaxed));
            let (digest, _) = &versions[turn as usize % 2];
            let change = format!(r#"{{"composition":{{"base":{{"module":"{digest}","unsigned":true}}}}}}"#);
            let reply = place.ask(&place.admin, "POST", "/v1/slots/release/activate", &[JSON], change);
            assert_eq!(reply.status, 200, "{reply:?}");
            // Every client gets an answer between two swaps, or during one.
            let went_on =
                || answered.iter().zip(before).all(|(now, then)| now.load(Ordering::Relaxed) > then);
            while turn % 10 == 0 && !went_on() && callers.iter().all(|caller| !caller.is_finished()) {
                std::thread::yield_now();
            }
        }
    });
}

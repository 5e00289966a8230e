//! The memory of large calls: how much they take at once, and that the server gives it back.

use std::{fmt::Write as _, thread};

use crate::{
    client::{post, until},
    process::Process,
};

/// KiB that may stay for good: what the first large calls set up, and the parts of pages that are still used.
const STAYS: u64 = 12 << 10;

/// An envelope with so many validators that failed.
fn failing(count: usize) -> String {
    let mut exits = String::from(r#""test":1"#);
    (0..count).for_each(|number| write!(exits, ",\"{number:x}\":1").unwrap());
    adjudicate_tests::envelope! { steps: r#"["fix"]"#, exit_codes: "{EXITS}", }.replacen("EXITS", &exits, 1)
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn after_large_calls_the_server_is_as_small_as_before() {
    let process = Process::start(&["--request-timeout", "120", "--max-calls", "2"]);
    let to = process.address;
    assert_eq!(post(to, "/v1/explain", failing(3)).status, 200);
    let before = process.memory();
    // 2.4 MB each, of which a call holds some 50 MB, in small blocks and in large ones.
    let call = failing(250_000);
    for _ in 0..3 {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(post(to, "/v1/explain", &call).status, 200));
            }
        });
    }
    until("the memory is given back", || process.memory() <= before + STAYS);
}

/// Without the limit, these calls take 420 MiB together. Two of them fit into 256 MiB, because each counts as 120 MiB.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn calls_at_once_take_no_more_memory_than_allowed() {
    const MAX_MEMORY: u64 = 256 << 20;
    let max_memory = MAX_MEMORY.to_string();
    let process =
        Process::start(&["--request-timeout", "120", "--max-calls", "8", "--max-memory", &max_memory]);
    let to = process.address;
    assert_eq!(post(to, "/v1/explain", failing(3)).status, 200);
    // The server without large calls: its program, threads and store, 37 MiB.
    let base = process.peak_memory();
    let call = failing(250_000);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // A call that waits for memory for more than a second is rejected.
                until("the call is accepted", || {
                    let reply = post(to, "/v1/explain", &call);
                    assert!([200, 503].contains(&reply.status), "{}", reply.status);
                    reply.status == 200
                });
            });
        }
    });
    let peak = process.peak_memory();
    assert!(peak < base + MAX_MEMORY / 1024, "{peak} KiB, of which {base} KiB before");
}

//! Time limits and interruptions.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use adjudicate_collect::{CollectError, CollectOptions, Progress};
use adjudicate_core::codes::Status;

use super::scratch::{Scratch, exits, rules, status, uncollected};

/// Returns the ids of processes that a validator wrote into a file and that still run.
fn alive(scratch: &Scratch, file: &str) -> Vec<String> {
    let ids = scratch.read(file);
    // A zombie of another parent has no command line.
    let is_alive =
        |id: &&str| std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty());
    ids.split_whitespace().filter(is_alive).map(ToOwned::to_owned).collect()
}

#[test]
fn a_validator_over_its_time_limit_is_a_timeout_and_its_children_end() {
    let scratch = Scratch::with_change();
    let slow = r#"{"id": "slow", "run": "sleep 60 & echo $! $$ > reports/ids; wait", "timeout_seconds": 1}"#;
    scratch.report("");
    let started = Instant::now();
    let decided = scratch.run(&format!("{slow},{}", exits("lint", 0)));
    assert!(started.elapsed() < Duration::from_secs(30));
    let validation = &decided.collected.envelope.evidence.validation;
    assert_eq!(validation.timeouts, ["slow"]);
    assert_eq!(validation.exit_codes.keys().collect::<Vec<_>>(), ["lint"]);
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Partial, vec!["validation_failed"]));
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_process_that_ignores_the_request_is_killed() {
    let scratch = Scratch::with_change();
    scratch.report("");
    let stubborn = r#"{"id": "slow", "run": "trap '' TERM; echo $$ > reports/ids; while :; do sleep 1; done", "timeout_seconds": 1}"#;
    let decided = scratch.run(stubborn);
    assert_eq!(decided.collected.envelope.evidence.validation.timeouts, ["slow"]);
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
fn a_process_that_a_validator_leaves_behind_ends_with_it() {
    let scratch = Scratch::with_change();
    scratch.report("");
    let decided = scratch.run(r#"{"id": "unit", "run": "sleep 60 & echo $! > reports/ids"}"#);
    assert_eq!(status(&decided), Status::Success);
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
fn a_stopped_run_is_interrupted() {
    let scratch = Scratch::with_change();
    let stop = AtomicBool::new(false);
    let on_progress = |progress: Progress| {
        if matches!(progress, Progress::Started(id, 1, 3) if id == "slow") {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options =
        CollectOptions { stop: Some(&stop), progress: Some(&on_progress), ..CollectOptions::default() };
    let validators =
        [exits("first", 0), r#"{"id": "slow", "run": "sleep 60"}"#.into(), exits("lint", 0)].join(",");
    let decided = scratch.try_run(&validators, &options).unwrap();
    assert!(rules(&decided.evaluation).contains(&"interrupted"), "{:?}", rules(&decided.evaluation));
    assert_eq!(status(&decided), Status::NeedsHuman);
    let what: Vec<_> = uncollected(&decided).into_iter().map(|item| item.0).collect();
    assert_eq!(what, ["result of `slow`", "result of `lint`"]);
    // The next run is complete.
    stop.store(false, Ordering::Relaxed);
    let decided = scratch.run(&exits("lint", 0));
    assert!(!rules(&decided.evaluation).contains(&"interrupted"));
}

#[test]
fn two_collections_do_not_run_at_once() {
    let scratch = Scratch::with_change();
    scratch.write("hold", "");
    let slow = r#"{"id": "slow", "run": "while test -e hold; do sleep 0.02; done"}"#;
    thread::scope(|scope| {
        let first = scope.spawn(|| scratch.run(slow));
        while !scratch.path(".adjudicate/logs/slow.log").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        let error = scratch.try_run(slow, &CollectOptions::default()).unwrap_err();
        assert!(matches!(error, CollectError::Busy(_)), "{error}");
        // The second one waits for the first.
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            std::fs::remove_file(scratch.path("hold")).unwrap();
        });
        let patient = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
        scratch.try_run(slow, &patient).unwrap();
        first.join().unwrap();
    });
    assert_eq!(scratch.state().evaluations(), 2);
}

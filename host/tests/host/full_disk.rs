//! A full disk: no answer without its record, and no acknowledged record is lost.
#![cfg(unix)]

use std::{env, path::Path, process::Command, thread, time::Duration};

use adjudicate_core::Operation;
use adjudicate_host::{
    CallObservation, ChangeReason, DecidedBy, InstallOptions, RecordSettings, Recorder, Slot, SlotSettings,
    Slots, Store, codes,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    guests::ENVELOPE,
    reevaluation::host,
    slots::{alone, flagging, until},
};

/// The variable with the store of the child process.
const CHILD: &str = "ADJUDICATE_TEST_FULL_DISK";
/// The size limit of files for the full disk. SQLite restarts its log at four times this size.
const FULL: u64 = 1 << 20;

/// The limit on file sizes belongs to a process, so the test runs in a child. With the signal ignored, a write beyond the limit
/// fails.
#[test]
#[ignore = "fills a disk in a process of its own: `cargo xtask test tests-further`"]
fn no_call_is_answered_without_its_record_and_no_record_is_lost() {
    if let Ok(path) = env::var(CHILD) {
        return fill(path.as_ref());
    }
    let directory = tempfile::tempdir().unwrap();
    let script = r#"trap '' XFSZ; exec "$0" --exact full_disk::no_call_is_answered_without_its_record_and_no_record_is_lost --ignored --nocapture"#;
    let child = Command::new("/bin/sh")
        .args(["-c".as_ref(), script.as_ref(), env::current_exe().unwrap().as_os_str()])
        .env(CHILD, directory.path().join("store"))
        .output()
        .unwrap();
    let stated = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && stated.contains("the disk was full"), "{stated}");
}

/// Sets the limit on file sizes.
fn limit(most: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: most.or(maximum), maximum }).unwrap();
}

fn call(slot: &Slot) -> Result<(), String> {
    slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).map(drop).map_err(|error| error.code().to_owned())
}

fn fill(path: &Path) {
    let store = Store::open(path).unwrap();
    let slots = Slots::open(store.clone(), host()).unwrap();
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let install = |version| slots.install(&flagging("test", version, "one"), &terms).unwrap().module.digest;
    let (one, two) = (install("1.0.0"), install("1.1.0"));
    let settings = SlotSettings::parse(br#"{"on_fault":"fail_closed","records":{}}"#).unwrap();
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    let active = slot.activate(alone(one), &ChangeReason::default()).unwrap();

    limit(Some(FULL));
    let mut answered = 0;
    while call(&slot).is_ok() {
        answered += 1;
        assert!(answered < FULL, "more answers than there is room for bytes");
    }
    for _ in 0..20 {
        assert_eq!(call(&slot), Err("store_fault".to_owned()));
    }
    // Records that were acknowledged before the failure are kept. When the queue is full, no further one is acknowledged.
    let recorder = Recorder::new(store.clone());
    let queued =
        SlotSettings::parse(br#"{"records":{"acknowledge":"queued","queue":8}}"#).unwrap().records.unwrap();
    let mut promised = 0;
    while recorder.record(&observation(&queued)) == Ok(None) {
        promised += 1;
        assert!(promised <= 8, "more than there is room for");
        thread::sleep(Duration::from_millis(20));
    }
    let changed = slot.activate(alone(two), &ChangeReason::default()).map_err(|error| error.code());
    assert_eq!(changed, Err(codes::STORE_FAULT));
    assert_eq!((slot.entry(), store.slot("release").unwrap()), (active.clone(), active));

    // The problem is reported while it lasts, and its end is detected without calls.
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(slots.unrecorded().into_keys().collect::<Vec<_>>(), ["release"]);

    limit(None);
    println!("the disk was full after {answered} answers");
    until("the end of the trouble", || slots.unrecorded().is_empty());
    assert_eq!(call(&slot), Ok(()));
    slot.activate(alone(two), &ChangeReason::default()).unwrap();
    until("what was promised is written", || recorder.waiting() == 0);
    let count = |slot| store.verify_records(slot, &[]).map(|(_, count)| count);
    assert_eq!((count("release"), count("queued")), (Ok(answered + 1), Ok(promised)));
}

fn observation(settings: &RecordSettings) -> CallObservation<'_> {
    CallObservation {
        slot: "queued",
        settings,
        at: 0,
        operation: Operation::Evaluate,
        input: ENVELOPE.as_bytes(),
        outcome: Ok("{}"),
        by: DecidedBy::Active,
        entry: 1,
        modules: &[],
        fault: None,
        microseconds: 1,
    }
}

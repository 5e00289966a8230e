//! A disk that takes nothing more: what is not written is not said, and what was said is there.
#![cfg(unix)]

use std::{env, path::Path, process::Command, thread, time::Duration};

use adjudicate_core::Operation;
use adjudicate_host::{
    By, Observation, RecordSettings, Recorder, Slot, SlotSettings, Slots, Store, Terms, Why, codes,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    guests::ENVELOPE,
    reevaluation::host,
    slots::{alone, flagging, until},
};

/// Where the child of the test has its store, if this process is that child.
const CHILD: &str = "ADJUDICATE_TEST_FULL_DISK";
/// How large a file may become where the disk is full: SQLite begins its log anew at four times as much.
const FULL: u64 = 1 << 20;

/// A limit on the size of files is the process's, so a child has it. Writing beyond it is an error where nobody wants the signal.
#[test]
fn nothing_is_answered_that_is_not_on_record_and_nothing_on_record_is_lost() {
    if let Ok(path) = env::var(CHILD) {
        return fill(path.as_ref());
    }
    let directory = tempfile::tempdir().unwrap();
    let script = r#"trap '' XFSZ; exec "$0" --exact full_disk::nothing_is_answered_that_is_not_on_record_and_nothing_on_record_is_lost --nocapture"#;
    let child = Command::new("/bin/sh")
        .args(["-c".as_ref(), script.as_ref(), env::current_exe().unwrap().as_os_str()])
        .env(CHILD, directory.path().join("store"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && said.contains("the disk was full"), "{said}");
}

/// Files may become so large from now on, and no larger.
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
    let terms = Terms { unsigned: true, ..Terms::default() };
    let install = |version| slots.install(&flagging("test", version, "one"), &terms).unwrap().module.digest;
    let (one, two) = (install("1.0.0"), install("1.1.0"));
    let settings = SlotSettings::parse(br#"{"on_fault":"fail_closed","records":{}}"#).unwrap();
    let slot = slots.create("release", settings, &Why::default()).unwrap();
    let active = slot.activate(alone(one), &Why::default()).unwrap();

    limit(Some(FULL));
    let mut answered = 0;
    while call(&slot).is_ok() {
        answered += 1;
        assert!(answered < FULL, "more answers than there is room for bytes");
    }
    for _ in 0..20 {
        assert_eq!(call(&slot), Err("store_fault".to_owned()));
    }
    // What was promised before anybody knew is kept, and when there is no room for more promises nobody is given any.
    let recorder = Recorder::new(store.clone());
    let queued =
        SlotSettings::parse(br#"{"records":{"acknowledge":"queued","queue":8}}"#).unwrap().records.unwrap();
    let mut promised = 0;
    while recorder.record(&observation(&queued)) == Ok(None) {
        promised += 1;
        assert!(promised <= 8, "more than there is room for");
        thread::sleep(Duration::from_millis(20));
    }
    let changed = slot.activate(alone(two), &Why::default()).map_err(|error| error.code());
    assert_eq!(changed, Err(codes::STORE_FAULT));
    assert_eq!((slot.entry(), store.slot("release").unwrap()), (active.clone(), active));

    // As long as that lasts it is known, and then no longer, also if nobody calls.
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(slots.unrecorded().into_keys().collect::<Vec<_>>(), ["release"]);

    limit(None);
    println!("the disk was full after {answered} answers");
    until("the end of the trouble", || slots.unrecorded().is_empty());
    assert_eq!(call(&slot), Ok(()));
    slot.activate(alone(two), &Why::default()).unwrap();
    until("what was promised is written", || recorder.waiting() == 0);
    let count = |slot| store.verify_records(slot, &[]).map(|(_, count)| count);
    assert_eq!((count("release"), count("queued")), (Ok(answered + 1), Ok(promised)));
}

fn observation(settings: &RecordSettings) -> Observation<'_> {
    Observation {
        slot: "queued",
        settings,
        at: 0,
        operation: Operation::Evaluate,
        input: ENVELOPE.as_bytes(),
        outcome: Ok("{}"),
        by: By::Active,
        entry: 1,
        modules: &[],
        fault: None,
        microseconds: 1,
    }
}

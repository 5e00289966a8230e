//! Slots that nobody watches: what is done, and how often, is what the caller does.

mod faults;

use std::{
    fs,
    path::Path,
    sync::{Arc, mpsc::Receiver},
};

use adjudicate_sandbox::{Child, Compiler, Host, Settings, manifest};

use super::{
    Slot, Slots, Terms,
    opened::{Inner, Opened},
    watcher::Task,
};
use crate::{
    Store,
    history::{Composition, SlotSettings, Why},
};

/// A module that answers nothing.
fn silent() -> Vec<u8> {
    let text = r#"(module (memory (export "memory") 2 16)
        (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
        (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
        (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 16)))"#;
    let json = r#"{"abi":1,"name":"test","version":"0.1.0","operations":["evaluate"]}"#;
    manifest::append(&wat::parse_str(text).unwrap(), json).unwrap()
}

fn host(compiler: Compiler) -> Host {
    Host::new(Settings { instances: 1, compiler, ..Settings::default() }).unwrap()
}

/// The slots of a store, without the threads that watch them; what those would be told to do is received.
fn unwatched(directory: &Path, compiler: Compiler) -> (Slots, Receiver<Task>) {
    let (inner, tasks) = Inner::new(Store::open(directory).unwrap(), host(compiler), None).unwrap();
    (Slots { inner: Arc::new(Opened(Arc::new(inner))) }, tasks)
}

/// Installs a module, and puts it in force in the slot `release`.
fn fill(slots: &Slots, module: &[u8], settings: SlotSettings) -> Slot {
    let slot = slots.create("release", settings, &Why::default()).unwrap();
    let terms = Terms { slot: Some("release".to_owned()), unsigned: true };
    let digest = slots.install(module, &terms).unwrap().module.digest;
    slot.activate(Composition::of(digest).unsigned(), &Why::default()).unwrap();
    slot
}

#[cfg(unix)]
#[test]
fn a_slot_that_cannot_be_loaded_is_loaded_once_by_whoever_asks_for_it_first() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    fill(&unwatched(&store, Compiler::InProcess).0, &silent(), SlotSettings::default());
    // Tells of each module that it is to compile, and compiles none.
    let told = directory.path().join("told");
    let script = format!("cat > /dev/null; echo one >> '{}'; exit 1", told.display());
    let (slots, _tasks) = unwatched(&store, Compiler::Child(Child::new("/bin/sh", ["-c", &script])));
    let loads = || fs::read_to_string(&told).unwrap_or_default().lines().count();
    let is_in_trouble = |slots: &Slots| slots.slot("release").unwrap().statistics().trouble.is_some();
    assert!(is_in_trouble(&slots));
    assert_eq!(loads(), 1);
    // Who asks again gets what is there; that it is tried again is for whoever watches.
    assert!(is_in_trouble(&slots));
    assert_eq!(loads(), 1);
    slots.inner.retry();
    assert_eq!(loads(), 2);
    // What was changed in the meantime is looked at, also where the slot is in trouble.
    slots.set_trust(None, "{}").unwrap();
    assert_eq!(loads(), 3);
}

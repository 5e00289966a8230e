//! Slots without watcher threads, so that each test determines every action.

mod faults;

use std::{
    fs,
    path::Path,
    sync::{Arc, mpsc::Receiver},
};

use adjudicate_sandbox::{Child, Compiler, Host, HostSettings, manifest};

use super::{
    InstallOptions, Slot, Slots,
    state::{SlotsHandle, SlotsState},
    window::FaultObservation,
};
use crate::{
    Store,
    history::{ChangeReason, Composition, SlotSettings},
};

/// A module without answers.
fn silent() -> Vec<u8> {
    let text = r#"(module (memory (export "memory") 2 16)
        (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
        (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
        (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 16)))"#;
    let json = r#"{"abi":1,"name":"test","version":"0.1.0","operations":["evaluate"]}"#;
    manifest::append(&wat::parse_str(text).unwrap(), json).unwrap()
}

fn host(compiler: Compiler) -> Host {
    Host::new(HostSettings { instances: 1, compiler, ..HostSettings::default() }).unwrap()
}

/// The slots of a store without the watcher threads, and the receiver of the faults to act on.
fn unwatched(directory: &Path, compiler: Compiler) -> (Slots, Receiver<FaultObservation>) {
    let (inner, faults) = SlotsState::new(Store::open(directory).unwrap(), host(compiler), None).unwrap();
    (Slots { inner: Arc::new(SlotsHandle(Arc::new(inner))) }, faults)
}

/// Installs a module and activates it in the slot `release`.
fn fill(slots: &Slots, module: &[u8], settings: SlotSettings) -> Slot {
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    let terms = InstallOptions { slot: Some("release".to_owned()), unsigned: true };
    let digest = slots.install(module, &terms).unwrap().module.digest;
    slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).unwrap();
    slot
}

#[cfg(unix)]
#[test]
fn a_failed_load_of_a_slot_is_not_repeated_by_each_caller() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    fill(&unwatched(&store, Compiler::InProcess).0, &silent(), SlotSettings::default());
    // Writes a line for each module to compile, and compiles none.
    let log = directory.path().join("log");
    let script = format!("cat > /dev/null; echo one >> '{}'; exit 1", log.display());
    let (slots, _faults) = unwatched(&store, Compiler::Child(Child::new("/bin/sh", ["-c", &script])));
    let loads = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let is_in_trouble = |slots: &Slots| slots.slot("release").unwrap().statistics().problem.is_some();
    assert!(is_in_trouble(&slots));
    assert_eq!(loads(), 1);
    // Further callers get the error. Only the watcher tries again.
    assert!(is_in_trouble(&slots));
    assert_eq!(loads(), 1);
    slots.inner.retry();
    assert_eq!(loads(), 2);
    // A change is checked even while the slot has a problem.
    slots.set_trust(None, "{}").unwrap();
    assert_eq!(loads(), 3);
}

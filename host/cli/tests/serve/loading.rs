//! Slots that take long to load.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use adjudicate_host::{
    Child, Compiler, Composition, Host, Settings as HostSettings, SlotSettings, Slots, Store, Terms, Why,
};
use adjudicate_serve::{Native, Server, Settings};
use tempfile::TempDir;

use crate::{
    client::{ENVELOPE, get, post},
    modules::{flagging, open},
};

/// The slots of a store, where what is to be compiled takes so long that loading a slot takes longer than tokens are believed
/// that were not read anew.
fn slow(directory: &Path) -> Slots {
    let store = Store::open(&directory.join("store")).unwrap();
    let compiler = Compiler::Child(Child::new("/bin/sh", ["-c", "sleep 12"]));
    Slots::open(store, Host::new(HostSettings { compiler, ..HostSettings::default() }).unwrap()).unwrap()
}

fn activate(slots: &Slots, name: &str, module: &[u8]) {
    let installed = slots.install(module, &Terms { slot: None, unsigned: true }).unwrap();
    let slot = slots.create(name, SlotSettings::default(), &Why::default()).unwrap();
    slot.activate(Composition::of(installed.module.digest).unsigned(), &Why::default()).unwrap();
}

#[test]
fn slots_that_load_for_long_keep_nobody_out() {
    let directory = TempDir::new().unwrap();
    let elsewhere = open(directory.path());
    activate(&elsewhere, "release", &flagging("1.0.0", "one"));
    let server = Server::start(Settings::default(), Native::default(), Some(slow(directory.path()))).unwrap();
    let address = server.address();
    // Right after the start, which loaded the slot and took long.
    assert_eq!(post(address, "/v1/evaluate", ENVELOPE).status, 200);
    assert_eq!(get(address, "/readyz").status, 503, "the slot does not run what is in force");
    // While another process fills a slot, which this one then loads.
    activate(&elsewhere, "other", &flagging("1.1.0", "two"));
    let until = Instant::now() + Duration::from_secs(15);
    while Instant::now() < until {
        let reply = post(address, "/v1/evaluate", ENVELOPE);
        assert_eq!(reply.status, 200, "{reply:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
    // Dropped, the server would wait for the slots.
    server.drain();
}

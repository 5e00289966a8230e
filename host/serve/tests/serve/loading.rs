//! Slots that take long to load.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicI64, Ordering},
    thread,
};

use adjudicate_host::{SlotSettings, Slots, Store};
use adjudicate_sandbox::{Child, Compiler, Host, HostSettings};
use adjudicate_serve::{Native, Server, ServerSettings};
use tempfile::TempDir;

use crate::{
    client::{ENVELOPE, get, post, until},
    modules::{activate, flagging, open},
};

/// The milliseconds by which the server's clock is ahead of the system's.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// Much longer than tokens stay valid without another reading.
const LONG: i64 = 600_000;

fn clock() -> i64 {
    (ServerSettings::default().clock)() + AHEAD.load(Ordering::SeqCst)
}

/// A compiler that fails as soon as it is released.
struct Brake {
    begun: PathBuf,
    released: PathBuf,
}

impl Brake {
    fn new(directory: &Path) -> Self {
        Self { begun: directory.join("begun"), released: directory.join("released") }
    }

    /// The slots of a store, for which this compiler compiles.
    fn slots(&self, directory: &Path) -> Slots {
        let store = Store::open(&directory.join("store")).unwrap();
        let script = r#"while [ ! -e "$1" ]; do touch "$0"; sleep 0.02; done"#;
        let args = ["-c".as_ref(), script.as_ref(), self.begun.as_os_str(), self.released.as_os_str()];
        let compiler = Compiler::Child(Child::new("/bin/sh", args));
        Slots::open(store, Host::new(HostSettings { compiler, ..HostSettings::default() }).unwrap()).unwrap()
    }

    /// Waits until something is held.
    fn until_held(&self) {
        until("a slot is loaded", || self.begun.exists());
    }

    fn release(&self) {
        fs::write(&self.released, "").unwrap();
    }

    fn hold(&self) {
        fs::remove_file(&self.released).unwrap();
        fs::remove_file(&self.begun).unwrap();
    }
}

/// Releases all waiting threads if a test fails.
impl Drop for Brake {
    fn drop(&mut self) {
        let _ = fs::write(&self.released, "");
    }
}

#[test]
fn slots_that_load_slowly_do_not_lock_out_clients() {
    let directory = TempDir::new().unwrap();
    let elsewhere = open(directory.path());
    activate(&elsewhere, "release", SlotSettings::default(), &flagging("1.0.0", "one"));
    let brake = Brake::new(directory.path());
    let server = thread::scope(|scope| {
        let starting = scope.spawn(|| {
            let settings = ServerSettings { clock, ..ServerSettings::default() };
            Server::start(settings, Native::default(), Some(brake.slots(directory.path()))).unwrap()
        });
        brake.until_held();
        AHEAD.fetch_add(LONG, Ordering::SeqCst);
        brake.release();
        starting.join().unwrap()
    });
    // Dropped before the server, which would wait for the slots.
    let brake = brake;
    let address = server.address();
    // Right after the start, which loaded the slot and took long.
    assert_eq!(post(address, "/v1/evaluate", ENVELOPE).status, 200);
    assert_eq!(get(address, "/readyz").status, 503, "the slot does not run what is in force");
    // While another process fills a slot, which this one then loads.
    brake.hold();
    activate(&elsewhere, "other", SlotSettings::default(), &flagging("1.1.0", "two"));
    brake.until_held();
    for _ in 0..3 {
        AHEAD.fetch_add(LONG, Ordering::SeqCst);
        until("the tokens are read", || post(address, "/v1/evaluate", ENVELOPE).status == 200);
    }
    brake.release();
    server.drain();
}

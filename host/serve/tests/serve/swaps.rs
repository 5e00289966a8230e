//! Slots that change while others call: swaps, slow loads, and removal over HTTP.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering},
    thread,
};

use adjudicate_host::{ChangeReason, InstallOptions, RecordSettings, SlotSettings, Slots, Store};
use adjudicate_sandbox::{Child, Compiler, Host, HostSettings};
use adjudicate_serve::{Native, Server, ServerSettings};
use tempfile::TempDir;

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, Reply, WASM, get, post, request, until},
    modules::{TestStore, activate, answer_with, flagging, open},
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

fn ask(place: &TestStore, method: &str, path: &str, body: &str) -> Reply {
    place.ask(&place.admin, method, path, &[JSON], body)
}

fn install(place: &TestStore, version: &str) -> String {
    let reply =
        place.ask(&place.admin, "POST", "/v1/modules?unsigned=true", &[WASM], flagging(version, version));
    reply.json()["module"]["digest"].as_str().unwrap().to_owned()
}

#[test]
fn modules_and_slots_are_removed_only_where_nothing_needs_them() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let used = place.slots.store().modules().unwrap()[0].digest.to_string();
    let free = install(&place, "2.0.0");
    let module = |digest: &str| format!("/v1/modules/{digest}");
    let needed = ask(&place, "DELETE", &module(&used), "");
    assert_eq!(needed.error(), (409, "in_use".to_owned()));
    assert!(needed.body.contains("the slot `release` has it active"), "{needed:?}");
    let removed = ask(&place, "DELETE", &format!("{}?keep=36h", module(&free)), "");
    assert_eq!((removed.status, removed.json()["uninstalled"]["digest"].as_str()), (200, Some(&free[..])));
    assert_eq!(ask(&place, "DELETE", &module(&free), "").error(), (404, "unknown_module".to_owned()));

    let entry = place.slots.slot("release").unwrap().entry().id;
    let delete = |tag: i64| {
        let tag = format!("\"{tag}\"");
        place.ask(&place.admin, "DELETE", "/v1/slots/release", &[JSON, ("if-match", &tag)], "")
    };
    assert_eq!(delete(entry - 1).error(), (409, "slot_changed".to_owned()));
    let deleted = delete(entry);
    assert_eq!((deleted.status, deleted.json()["deleted"]["id"].as_i64()), (200, Some(entry)));
    let evaluate =
        || place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE).error();
    assert_eq!(evaluate(), (404, "unknown_slot".to_owned()));
    assert_eq!(delete(entry).error(), (404, "unknown_slot".to_owned()));
    let numbers = place.ask(&place.evaluate, "GET", "/metrics", &[], "").body;
    assert!(!numbers.contains("slot=\"release\""), "{numbers}");
    assert_eq!(ask(&place, "GET", "/readyz", "").status, 200);
    let collected = ask(&place, "POST", "/v1/gc", r#"{"keep":"0s","dry_run":true}"#).json();
    assert_eq!(
        (&collected["modules"][0]["digest"], &collected["dry_run"]),
        (&used.as_str().into(), &true.into())
    );
    assert_eq!(place.slots.store().modules().unwrap().len(), 1);
    assert_eq!(ask(&place, "POST", "/v1/gc", r#"{"keep":"0s"}"#).status, 200);
    assert!(place.slots.store().modules().unwrap().is_empty());
}

#[test]
fn unreadable_requests_remove_nothing() {
    let place = TestStore::new();
    let digest = install(&place, "1.0.0");
    place.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let settings = SlotSettings { records: Some(RecordSettings::default()), ..SlotSettings::default() };
    place.slots.create("kept", settings, &ChangeReason::default()).unwrap();
    let module = format!("/v1/modules/{digest}");
    for (method, path, body, status, code) in [
        ("DELETE", "/v1/modules/judge", "", 400, "wrong_usage"),
        ("DELETE", "/v1/modules/sha256:00", "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?keep=0"), "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?keep=soon"), "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?force=true"), "", 400, "wrong_usage"),
        ("DELETE", "/v1/slots/nobody", "", 404, "unknown_slot"),
        ("DELETE", "/v1/slots/release?force=true", "", 400, "wrong_usage"),
        ("DELETE", "/v1/slots/release", r#"{"expected":1}"#, 400, "wrong_usage"),
        ("DELETE", &module, r#"{"keep":"5"}"#, 400, "wrong_usage"),
        ("POST", "/v1/gc", r#"{"keep":5}"#, 422, "invalid_value"),
        ("POST", "/v1/gc", r#"{"keep":""}"#, 400, "wrong_usage"),
        ("POST", "/v1/gc", r#"{"dry-run":true}"#, 422, "unknown_field"),
    ] {
        let reply = ask(&place, method, path, body);
        assert_eq!(reply.error(), (status, code.to_owned()), "{method} {path} {body} {reply:?}");
    }
    for (method, path) in
        [("DELETE", module.as_str()), ("POST", "/v1/gc"), ("DELETE", "/v1/slots/release/trust")]
    {
        let reply = place.ask(&place.admin, method, path, &[JSON, ("if-match", "\"1\"")], "");
        assert_eq!(reply.error(), (400, "wrong_usage".to_owned()), "{method} {path} {reply:?}");
    }
    let store = place.slots.store();
    assert_eq!((store.modules().unwrap().len(), store.slots().unwrap().len()), (1, 2));
}

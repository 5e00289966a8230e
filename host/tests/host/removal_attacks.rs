//! Removals concurrent with changes of slots, calls, other processes, kill -9 and a ledger.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::Operation;
use adjudicate_host::{
    ChangeReason, Composition, InstallOptions, Retention, SlotAction, SlotSettings, SlotState, Slots, Store,
    codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Digest, Host, HostSettings};
use rusqlite::Connection;

use super::{
    guests::ENVELOPE,
    ledger::{Board, Peer, observed},
    removal::now,
    slots::{alone, bed, flagging, open, trusting},
};

/// Keeps only active modules and rollback targets.
const NOTHING_OLD: Retention = Retention::Age(Duration::ZERO);
/// The variable with the store of the started process.
const STORE: &str = "ADJUDICATE_TEST_COLLECTING_STORE";
/// The number of processes to kill.
const KILLS: u32 = 20;

/// Signals the end, even if a test fails, so that other threads stop.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Checks that all modules of the slots exist.
fn check_slots(store: &Store) {
    for entry in store.slots().unwrap() {
        for member in entry.state.compositions().flat_map(Composition::members) {
            store.module_bytes(member.module).unwrap();
        }
    }
}

#[test]
#[ignore = "depends on the order of threads: `cargo xtask test tests-further`"]
fn a_concurrent_collection_removes_no_module_that_becomes_active() {
    let bed = bed();
    let slot = bed.slot("{}");
    let [one, two] = ["1.0.0", "1.0.1"].map(|version| flagging("test", version, version));
    slot.activate(alone(bed.install(&one)), &ChangeReason::default()).unwrap();
    let collector = Store::open(&bed.directory.path().join("store")).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut refused, mut removed) = (0, 0);
    thread::scope(|scope| {
        let collecting = scope.spawn(|| {
            let mut removed = 0;
            while !is_over.load(Ordering::SeqCst) {
                // A module that was just installed counts as old, too.
                removed += collector.collect(NOTHING_OLD, now() + 60_000, false).unwrap().modules.len();
                check_slots(&collector);
            }
            removed
        });
        let over = Over(&is_over);
        for round in 0..120 {
            let module = flagging("test", &format!("1.1.{round}"), "x");
            let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
            let digest = Digest::sha256(&module);
            let changed = bed
                .slots
                .install(&module, &terms)
                .and_then(|_| slot.activate(alone(digest), &ChangeReason::default()))
                .map_err(|error| error.code());
            match changed {
                Ok(_) => {}
                Err(code) => {
                    assert_eq!(code, codes::UNKNOWN_MODULE, "round {round}");
                    refused += 1;
                }
            }
            check_slots(bed.slots.store());
            slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
        }
        drop(over);
        removed = collecting.join().unwrap();
    });
    assert!(removed > 50, "{removed} removed, {refused} refused");
    bed.install(&two);
    let anew = open(&bed.directory);
    anew.slot("release").unwrap().call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
}

/// The critical moment: a module is judged and loaded, and removed before the entry is stored.
#[test]
fn a_composition_whose_module_is_removed_while_it_is_judged_is_rejected() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot("{}");
    let one = bed.install(&flagging("test", "1.0.0", "one"));
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    let two = bed.install(&flagging("test", "1.0.1", "two"));
    // Another slot keeps it loaded, so its bytes are not read again.
    let beside = bed.slots.create("beside", SlotSettings::default(), &ChangeReason::default()).unwrap();
    beside.activate(alone(two), &ChangeReason::default()).unwrap();
    let before = slot.entry();
    Connection::open(bed.directory.path().join("store/adjudicate.db"))
        .unwrap()
        .execute("DELETE FROM modules WHERE name = 'test' AND version = '1.0.1'", [])
        .unwrap();
    let refused = slot.activate(alone(two), &ChangeReason::default()).unwrap_err();
    assert_eq!(refused.code(), codes::UNKNOWN_MODULE, "{refused}");
    assert!(refused.message().contains("removed at the same time"), "{refused}");
    assert_eq!((slot.entry(), store.slot("release").unwrap()), (before.clone(), before));
}

#[test]
#[ignore = "depends on the order of threads: `cargo xtask test tests-further`"]
fn calls_continue_while_slots_are_deleted_and_created() {
    let bed = bed();
    let module = bed.install(&flagging("test", "1.0.0", "one"));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for slots in [bed.slots.clone(), open(&bed.directory)] {
            let is_over = &is_over;
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let decided = match slots.slot("release") {
                        Ok(slot) => slot.call(Operation::Evaluate, ENVELOPE.as_bytes()),
                        Err(error) => Err(error.into()),
                    };
                    let expected = ["unknown_slot", "slot_empty"];
                    assert!(
                        decided.as_ref().err().is_none_or(|error| expected.contains(&error.code())),
                        "{decided:?}"
                    );
                }
            });
        }
        let _over = Over(&is_over);
        let changer = open(&bed.directory);
        for round in 0..60 {
            let slots = if round % 2 == 0 { &changer } else { &bed.slots };
            let slot = slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
            slot.activate(alone(module), &ChangeReason::default()).unwrap();
            thread::sleep(Duration::from_millis(round % 7));
            slots.delete("release", None).unwrap();
        }
    });
    // In any order of swaps, a deleted slot does not answer.
    assert_eq!(bed.slots.slot("release").unwrap_err().code(), codes::UNKNOWN_SLOT);
}

#[test]
#[ignore = "depends on the order of threads: `cargo xtask test tests-further`"]
fn no_call_fails_and_no_record_is_lost_during_a_collection() {
    let bed = bed();
    let slot = bed.slot(r#"{"records":{}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default()).unwrap();
    let database = bed.directory.path().join("store/adjudicate.db");
    let is_over = AtomicBool::new(false);
    let calls = thread::scope(|scope| {
        let call = || {
            let mut calls = 0_u64;
            while !is_over.load(Ordering::SeqCst) {
                slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
                calls += 1;
            }
            calls
        };
        let calling = [scope.spawn(call), scope.spawn(call)];
        let over = Over(&is_over);
        let collector = Store::open(&bed.directory.path().join("store")).unwrap();
        for round in 0..6 {
            if round % 2 == 0 {
                // As an earlier version created it: the whole database is rewritten.
                let old = Connection::open(&database).unwrap();
                old.busy_timeout(Duration::from_secs(10)).unwrap();
                old.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
            }
            for number in 0..5 {
                bed.install(&flagging("other", &format!("1.{round}.{number}"), "x"));
            }
            let collected = collector.collect(NOTHING_OLD, now() + 60_000, false).unwrap();
            assert_eq!(collected.modules.len(), 5, "round {round}");
        }
        drop(over);
        calling.map(|calling| calling.join().unwrap()).iter().sum::<u64>()
    });
    assert_eq!(bed.slots.store().verify_records("release", &[]).unwrap().1, calls);
    assert!(calls > 10, "{calls}");
}

/// Not a test: the work of the killed process.
#[test]
fn installs_deletes_and_collects_until_it_is_killed() {
    let Some(directory) = env::var_os(STORE) else { return };
    let store = Store::open(&PathBuf::from(directory)).unwrap();
    let host = Host::new(HostSettings { cache: store.cache().ok(), instances: 2, ..HostSettings::default() })
        .unwrap();
    let slots = Slots::open(store.clone(), host).unwrap();
    let mut out = std::io::stdout().lock();
    for round in 0_u64.. {
        let module = flagging("test", "1.0.0", &format!("{}-{round}", now()));
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        let digest = slots.install(&module, &terms).unwrap().module.digest;
        let name = ["release", "gone"][round as usize % 2];
        let slot = slots.create(name, SlotSettings::default(), &ChangeReason::default()).unwrap();
        slot.activate(alone(digest), &ChangeReason::default()).unwrap();
        if name == "gone" {
            slots.delete(name, None).unwrap();
            writeln!(out, "\ndeleted").unwrap();
        }
        store.collect(NOTHING_OLD, now() + 1, false).unwrap();
        writeln!(out, "\ncollected").unwrap();
        out.flush().unwrap();
    }
}

fn kill_after(directory: &Path, while_longer: Duration) {
    let name = "removal_attacks::installs_deletes_and_collects_until_it_is_killed";
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(STORE, directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "deleted"), "the process says nothing");
    thread::sleep(while_longer);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[ignore = "kills processes at random: `cargo xtask test tests-further`"]
fn a_process_killed_during_a_removal_leaves_all_needed_modules() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    for kill in 0..KILLS {
        kill_after(&path, Duration::from_micros(u64::from(kill) * 7919 % 20_000));
        let store = Store::open(&path).unwrap();
        check_slots(&store);
        let whole: String = Connection::open(path.join("adjudicate.db"))
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(whole, "ok", "kill {kill}");
        let slots = Slots::open(store.clone(), Host::new(HostSettings::default()).unwrap()).unwrap();
        let decided = slots.slot("release").unwrap().call(Operation::Evaluate, ENVELOPE.as_bytes());
        assert!(decided.is_ok(), "kill {kill}: {decided:?}");
    }
    // The next process removes the leftovers of a killed one.
    let store = Store::open(&path).unwrap();
    store.collect(NOTHING_OLD, now() + 1, false).unwrap();
    let needed = store.modules().unwrap().len();
    assert!(needed <= 4, "{needed}");
    let code = std::fs::read_dir(path.join("compiled")).unwrap().count();
    assert!(code <= needed + 1 + KILLS as usize, "{code}");
}

#[test]
fn modules_of_a_ledger_are_removed_only_locally_and_its_slots_cannot_be_deleted() {
    let board = Board::new("one");
    let peer = Peer::new(&board);
    let store = peer.slots.store();
    let modules = [1, 2, 3]
        .map(|number| peer.install(&flagging("test", &format!("1.0.{number}"), &number.to_string())));
    let slot = peer.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let entries = modules.map(|module| slot.activate(alone(module), &ChangeReason::default()).unwrap());
    for result in [peer.slots.delete("release", None), store.delete_slot("nobody", None)] {
        let error = result.unwrap_err();
        assert_eq!(error.code(), codes::WRONG_USAGE, "{error}");
        assert!(error.message().contains("`one`"), "{error}");
    }
    let collected = store.collect(Retention::Entries(1), now() + 2 * 86_400_000, false).unwrap();
    assert_eq!(collected.modules.iter().map(|module| module.digest).collect::<Vec<_>>(), [modules[0]]);
    assert!(board.modules.lock().unwrap().contains_key(&modules[0]));
    assert_eq!(board.bring(&peer.slots), []);
    assert_eq!(peer.history("release"), board.of("release"));
    // A rollback to the module fetches it again.
    slot.rollback(Some(entries[0].id), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["1"]"#);
    assert!(store.module(modules[0]).is_ok());
    assert_eq!(board.fetched.load(Ordering::SeqCst), 1);
}

#[test]
fn a_removed_version_still_counts_as_active_before() {
    let board = Board::new("one");
    let peer = Peer::strict(&board);
    let ours = SecretKey::generate().unwrap();
    peer.slots.set_trust(None, &trusting(&[&ours], r#","downgrade":"refuse""#)).unwrap();
    let module = |name: &str, version: &str| {
        let module = sign(&flagging(name, version, version), &ours).unwrap();
        peer.slots.install(&module, &InstallOptions::default()).unwrap().module.digest
    };
    let slot = peer.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let high = module("test", "3.0.0");
    for module in [high, module("other", "1.0.0"), module("other", "1.0.1")] {
        slot.activate(Composition::new(module), &ChangeReason::default()).unwrap();
    }
    let store = peer.slots.store();
    store.uninstall(high, Retention::Entries(1), now()).unwrap();
    assert_eq!(store.module(high).unwrap_err().code(), codes::UNKNOWN_MODULE);
    // A forged entry with an earlier version.
    let low = module("test", "2.0.0");
    let bytes = store.module_bytes(low).unwrap();
    board.modules.lock().unwrap().insert(low, bytes);
    let state = SlotState { active: Some(Composition::new(low)), ..SlotState::default() };
    let forged = board.forge("release", SlotAction::Activate, state);
    let refused = peer.slots.follow(forged, true).unwrap_err();
    assert_eq!(refused.code(), codes::MODULE_DOWNGRADE, "{refused}");
}

//! Removals from a store: unused modules, slots, and everything that no history within a retention needs.

use std::{
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    Canary, ChangeReason, Composition, InstallOptions, InstalledModule, Removals, Retention, Slot, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::Digest;
use rusqlite::Connection;

use super::{
    guests::ENVELOPE,
    replays::{observed as replayed, replay},
    slots::{Bed, alone, bed, flagging, open, trapping, trusting, until},
};

const LAST: Retention = Retention::Entries(1);

pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

fn in_days(days: i64) -> i64 {
    now() + days * 24 * 3_600_000
}

fn call(slot: &Slot) -> Result<Vec<Digest>, String> {
    let decided = slot.call(Operation::Evaluate, ENVELOPE.as_bytes());
    decided.map(|decided| decided.modules).map_err(|error| error.code().to_owned())
}

/// Modules of one name, one per version.
fn versions<const N: usize>(bed: &Bed) -> [Digest; N] {
    std::array::from_fn(|number| {
        bed.install(&flagging("test", &format!("1.0.{number}"), &number.to_string()))
    })
}

fn names(collected: &Removals) -> Vec<Digest> {
    collected.modules.iter().map(|module| module.digest).collect()
}

/// The names of compiled code in the store.
fn compiled(bed: &Bed) -> Vec<String> {
    let files = fs::read_dir(bed.directory.path().join("store/compiled")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".cwasm")).collect()
}

fn refusal(result: Result<InstalledModule, Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.code(), codes::IN_USE, "{error}");
    error.message().to_owned()
}

#[test]
fn a_module_is_uninstalled_only_when_nothing_needs_it_and_the_error_names_the_slot() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot("{}");
    let [early, base, overriding, strict, canary, shadow, never] = versions(&bed);
    slot.activate(alone(early), &ChangeReason::default()).unwrap();
    let entry = slot.activate(
        Composition::new(base).overridden_by(overriding).restricted_by(strict).unsigned(),
        &ChangeReason::default(),
    );
    slot.canary(Some(Canary::new(alone(canary), 5)), &ChangeReason::default()).unwrap();
    slot.shadow(Some(alone(shadow)), &ChangeReason::default()).unwrap();
    let before = store.modules().unwrap();
    for (module, retention, observed) in [
        (base, LAST, "the slot `release` has it active"),
        (overriding, LAST, "the slot `release` has it active"),
        (strict, LAST, "the slot `release` has it active"),
        (canary, LAST, "the slot `release` has it as canary"),
        (shadow, LAST, "the slot `release` has it as shadow"),
        (early, LAST, "the slot `release` would be rolled back to it"),
        (early, Retention::default(), "within the retention"),
    ] {
        let reported_there = refusal(store.uninstall(module, retention, now()));
        assert!(
            reported_there.contains(observed) && reported_there.contains(&module.to_string()),
            "{reported_there}"
        );
    }
    assert_eq!(store.modules().unwrap(), before);
    assert_eq!(call(&slot).unwrap(), [base, overriding, strict]);

    assert!(compiled(&bed).iter().any(|name| name.starts_with(&never.hex())));
    assert_eq!(store.uninstall(never, Retention::default(), now()).unwrap().digest, never);
    assert!(!compiled(&bed).iter().any(|name| name.starts_with(&never.hex())));
    let gone = store.uninstall(never, LAST, now()).unwrap_err();
    assert_eq!((gone.code(), store.modules().unwrap().len()), (codes::UNKNOWN_MODULE, 6));
    let refused = slot.activate(alone(never), &ChangeReason::default()).unwrap_err();
    assert_eq!(refused.code(), codes::UNKNOWN_MODULE);
    // To install it again brings it back.
    assert_eq!(bed.install(&flagging("test", "1.0.6", "6")), never);
    slot.activate(alone(never), &ChangeReason::default()).unwrap();
    assert_eq!(call(&slot).unwrap(), [never]);

    // `collect` removes modules outside the retention that no rollback would try.
    assert_eq!(store.uninstall(early, LAST, now()).unwrap().digest, early);
    assert!(refusal(store.uninstall(strict, LAST, now())).contains("would be rolled back to it"));
    let back = slot.rollback(Some(entry.unwrap().id), &ChangeReason::default()).unwrap();
    assert_eq!(back.state.active.unwrap().base.module, base);
}

#[test]
fn several_slots_that_need_a_module_are_named_up_to_a_bound() {
    let bed = bed();
    let [module] = versions(&bed);
    for number in 10..20 {
        let slot =
            bed.slots.create(&format!("s-{number}"), Default::default(), &ChangeReason::default()).unwrap();
        slot.activate(alone(module), &ChangeReason::default()).unwrap();
    }
    let observed = refusal(bed.slots.store().uninstall(module, LAST, now()));
    assert!(
        observed.contains("`s-10`") && observed.contains("`s-17`") && !observed.contains("`s-18`"),
        "{observed}"
    );
    assert!(observed.ends_with(", 2 more"), "{observed}");
}

#[test]
fn modules_of_decision_records_stay_while_their_entry_is_within_the_retention() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot(r#"{"on_fault":"last_good","records":{}}"#);
    let good = bed.install(&flagging("test", "1.0.0", "good"));
    slot.activate(alone(good), &ChangeReason::default()).unwrap();
    slot.activate(alone(bed.install(&trapping("1.0.1"))), &ChangeReason::default()).unwrap();
    // The answer of the last good version, from an earlier entry.
    call(&slot).unwrap();
    let [next, last] = [2, 3].map(|number| bed.install(&flagging("test", &format!("1.0.{number}"), "x")));
    slot.activate(alone(next), &ChangeReason::default()).unwrap();
    slot.activate(alone(last), &ChangeReason::default()).unwrap();
    let observed = refusal(store.uninstall(good, Retention::Entries(3), now()));
    assert!(observed.contains("the slot `release` has a decision record (1) of it"), "{observed}");
    let kept = store.collect(Retention::Entries(3), in_days(2), false).unwrap();
    assert_eq!(names(&kept), []);
    assert_eq!(replayed(&replay(store, super::reevaluation::host())), (1, 0, vec![]));
    // Without the entry, the record stays and cannot be replayed.
    let gone = store.collect(Retention::Entries(2), in_days(2), false).unwrap();
    assert_eq!(names(&gone).len(), 2);
    assert_eq!(replayed(&replay(store, super::reevaluation::host())), (0, 0, vec![("module_missing", 1)]));
    assert_eq!(store.verify_records("release", &[]).unwrap().1, 1);
}

#[test]
fn a_collection_removes_modules_that_no_history_within_the_retention_needs() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot("{}");
    let modules: [Digest; 6] = versions(&bed);
    for module in &modules[..5] {
        slot.activate(alone(*module), &ChangeReason::default()).unwrap();
    }
    // All modules were active or installed within 30 days.
    let all = store.collect(Retention::default(), now(), false).unwrap();
    assert_eq!((names(&all), all.compiled, all.bytes), (vec![], 0, 0));
    let nothing_fresh = store.collect(LAST, now(), false).unwrap();
    assert_eq!(names(&nothing_fresh), []);
    // The last two entries have the fourth and the fifth module.
    let dry = store.collect(Retention::Entries(2), in_days(2), true).unwrap();
    assert_eq!(names(&dry), [modules[0], modules[1], modules[2], modules[5]]);
    assert!(dry.dry_run && dry.compiled == 4 && dry.freed == 0 && dry.bytes > 0);
    assert_eq!((store.modules().unwrap().len(), compiled(&bed).len()), (6, 6));
    let done = store.collect(Retention::Entries(2), in_days(2), false).unwrap();
    assert_eq!(Removals { dry_run: true, freed: 0, ..done.clone() }, dry);
    assert_eq!((store.modules().unwrap().len(), compiled(&bed).len()), (2, 2));
    // Calls, rollbacks and newly opened stores still work.
    assert_eq!(call(&slot).unwrap(), [modules[4]]);
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(call(&open(&bed.directory).slot("release").unwrap()).unwrap(), [modules[3]]);
    // The history stays. Removed modules are not rollback targets.
    let history = store.history("release", 100).unwrap();
    assert_eq!(history.len(), 7);
    let first = history.iter().rfind(|entry| entry.state.active.is_some()).unwrap().id;
    let refused = slot.rollback(Some(first), &ChangeReason::default()).unwrap_err();
    assert_eq!(refused.code(), codes::UNKNOWN_MODULE);
    // A second collection removes nothing.
    let again = store.collect(Retention::Entries(2), in_days(2), false).unwrap();
    assert_eq!((again.modules, again.compiled, again.differences), (vec![], 0, 0));
}

#[test]
fn an_age_keeps_the_entry_that_was_active_at_that_time() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot("{}");
    let modules: [Digest; 4] = versions(&bed);
    let ats = modules.map(|module| {
        std::thread::sleep(Duration::from_millis(20));
        slot.activate(alone(module), &ChangeReason::default()).unwrap().at
    });
    // Between the second and the third entry, the second module was active.
    let day = Duration::from_secs(86_400);
    let collected = store.collect(Retention::Age(day), ats[2] - 5 + day.as_millis() as i64, false).unwrap();
    assert_eq!(names(&collected), [modules[0]]);
    // A module in no history stays until it is as old as the retention.
    let fresh = bed.install(&flagging("other", "1.0.0", "fresh"));
    let hour = Retention::Age(Duration::from_secs(3600));
    assert_eq!(names(&store.collect(hour, now(), false).unwrap()), []);
    assert_eq!(names(&store.collect(hour, in_days(1), false).unwrap()), [fresh, modules[1]]);
}

#[test]
fn a_database_of_an_earlier_version_gives_its_space_back_too() {
    for is_old in [false, true] {
        let bed = bed();
        let database = bed.directory.path().join("store/adjudicate.db");
        let mode = || -> i64 {
            let connection = Connection::open(&database).unwrap();
            connection.query_row("PRAGMA auto_vacuum", [], |row| row.get(0)).unwrap()
        };
        let slot = bed.slot("{}");
        let large: Vec<Digest> = (0..4)
            .map(|number| {
                let module = flagging("test", &format!("1.{number}.0"), "large");
                let section = [&[0, 0xc0, 0x84, 0x3d, 1, b'x'][..], &vec![number; 999_998]].concat();
                bed.install(&[&module[..], &section].concat())
            })
            .collect();
        large
            .iter()
            .for_each(|module| drop(slot.activate(alone(*module), &ChangeReason::default()).unwrap()));
        if is_old {
            Connection::open(&database).unwrap().execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
        }
        assert_eq!(mode(), if is_old { 0 } else { 2 });
        let store = bed.slots.store();
        let collected = store.collect(LAST, in_days(2), false).unwrap();
        assert_eq!(names(&collected), large[..2]);
        assert_eq!(mode(), 2);
        let size = fs::metadata(&database).unwrap().len();
        assert!(size > 2_000_000 && size < 2_300_000, "{size}");
        assert!(collected.freed > 1_900_000 && collected.bytes > 2_000_000, "{collected:?}");
        assert_eq!(call(&slot).unwrap(), [large[3]]);
        assert!(store.module_bytes(large[2]).unwrap().len() > 1_000_000);
    }
}

#[test]
fn differences_are_removed_with_their_entries() {
    let bed = bed();
    let store = bed.slots.store();
    let slot = bed.slot("{}");
    let [one, two, three] = versions(&bed);
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    slot.shadow(Some(alone(two)), &ChangeReason::default()).unwrap();
    call(&slot).unwrap();
    slot.activate(alone(three), &ChangeReason::default()).unwrap();
    call(&slot).unwrap();
    let count = || store.differences("release", 9).unwrap().len();
    until("the differences", || count() == 2);
    let kept = store.collect(Retention::Entries(2), in_days(2), false).unwrap();
    assert_eq!((kept.differences, count()), (0, 2));
    let collected = store.collect(LAST, in_days(2), false).unwrap();
    assert_eq!((collected.differences, count()), (1, 1));
    assert!(collected.bytes > 0 && collected.modules.is_empty());
}

#[test]
fn a_deleted_slot_does_not_answer_and_a_new_one_of_its_name_is_another() {
    let bed = bed();
    let (store, elsewhere) = (bed.slots.store(), open(&bed.directory));
    let slot = bed.slot(r#"{"on_fault":"fail_closed","records":{}}"#);
    let [one, two] = versions(&bed);
    let entry = slot.activate(alone(one), &ChangeReason::default()).unwrap();
    slot.shadow(Some(alone(two)), &ChangeReason::default()).unwrap();
    let there = elsewhere.slot("release").unwrap();
    assert_eq!((call(&slot), call(&there)), (Ok(vec![one]), Ok(vec![one])));
    until("the differences", || store.differences("release", 9).unwrap().len() == 2);

    let stale = bed.slots.delete("release", Some(entry.id)).unwrap_err();
    assert_eq!(stale.code(), codes::SLOT_CHANGED);
    let last = bed.slots.delete("release", Some(entry.id + 1)).unwrap();
    assert_eq!((last.id, last.slot.as_str()), (entry.id + 1, "release"));
    let unknown = Err("unknown_slot".to_owned());
    assert_eq!(call(&slot), unknown);
    until("the end elsewhere", || call(&there) == unknown);
    for slots in [&bed.slots, &elsewhere] {
        assert_eq!(slots.slot("release").unwrap_err().code(), codes::UNKNOWN_SLOT);
        assert!(slots.slots().unwrap().is_empty() && slots.problems().is_empty());
        assert!(slots.unrecorded().is_empty());
    }
    assert_eq!(slot.activate(alone(one), &ChangeReason::default()).unwrap_err().code(), codes::UNKNOWN_SLOT);
    assert_eq!(bed.slots.delete("release", None).unwrap_err().code(), codes::UNKNOWN_SLOT);
    assert_eq!(store.history("release", 9).unwrap_err().code(), codes::UNKNOWN_SLOT);
    assert!(store.differences("release", 9).unwrap().is_empty());
    // Its records stay, can be verified, and cannot be replayed.
    let (end, count) = store.verify_records("release", &[]).unwrap();
    assert!(count >= 2, "{count}");
    let report = replay(store, super::reevaluation::host());
    assert_eq!(replayed(&report), (0, 0, vec![("module_missing", count)]));

    // A new slot of the same name starts without a composition and with other entries. A handle to the old slot works with the new
    // one.
    let made = elsewhere.create("release", Default::default(), &ChangeReason::default()).unwrap();
    assert!(made.entry().id > last.id && made.entry().state.active.is_none());
    assert_eq!(made.history(9).unwrap().len(), 1);
    until("the new slot", || slot.entry() == made.entry());
    assert_eq!(call(&slot), Err("slot_empty".to_owned()));
    made.configure(last.settings, &ChangeReason::default()).unwrap();
    made.activate(alone(two), &ChangeReason::default()).unwrap();
    until("the new composition", || slot.entry() == made.entry());
    assert_eq!((call(&slot), call(&there)), (Ok(vec![two]), Ok(vec![two])));
    // The chain of its records continues.
    assert_eq!(store.verify_records("release", &[end]).unwrap().1, count + 2);
    let none = slot.rollback(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(none.code(), codes::UNKNOWN_VERSION);
}

#[test]
fn deleting_a_slot_does_not_bypass_trust_or_its_versions() {
    let bed = bed();
    let ours = SecretKey::generate().unwrap();
    bed.slots.set_trust(None, &trusting(&[&ours], "")).unwrap();
    let module = |version: &str| {
        let module = sign(&flagging("test", version, version), &ours).unwrap();
        bed.slots.install(&module, &InstallOptions::default()).unwrap().module.digest
    };
    let [one, two] = ["1.0.0", "2.0.0"].map(module);
    let slot = bed.slot("{}");
    bed.slots
        .set_trust(Some("release"), &trusting(&[&ours], r#","minimum_versions":{"test":"1.5.0"}"#))
        .unwrap();
    slot.activate(Composition::new(two), &ChangeReason::default()).unwrap();
    bed.slots.delete("release", None).unwrap();
    let slot = bed.slot("{}");
    let refused =
        |slot: &Slot| slot.activate(Composition::new(one), &ChangeReason::default()).unwrap_err().code();
    // Its own trust policy still applies.
    assert!(bed.slots.trust(Some("release")).unwrap().unwrap().contains("1.5.0"));
    assert_eq!(refused(&slot), codes::MODULE_DOWNGRADE);
    // Its versions still count, under the policy of all slots.
    bed.slots.unset_trust("release").unwrap();
    assert_eq!(refused(&slot), codes::MODULE_DOWNGRADE);
    bed.slots.store().collect(Retention::Age(Duration::ZERO), in_days(1), false).unwrap();
    let again = sign(&flagging("test", "1.0.0", "1.0.0"), &ours).unwrap();
    bed.slots.install(&again, &InstallOptions::default()).unwrap();
    assert_eq!(refused(&slot), codes::MODULE_DOWNGRADE);
}

#[test]
fn unused_compiled_code_is_removed_and_the_key_stays() {
    let bed = bed();
    let [module] = versions(&bed);
    let slot = bed.slot("{}");
    slot.activate(alone(module), &ChangeReason::default()).unwrap();
    let folder = bed.directory.path().join("store/compiled");
    let file = |name: &str, hours: u64| {
        let file = fs::File::create(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
    };
    let [stranger, other] = [Digest::sha256(b"stranger").hex(), Digest::sha256(b"engine").hex()];
    file(&format!("{stranger}-{other}.cwasm"), 0);
    file("00.cwasm-new", 2);
    file("11.cwasm-new", 0);
    file("notes.txt", 100);
    let collected = bed.slots.store().collect(Retention::default(), now(), false).unwrap();
    assert_eq!((collected.compiled, collected.modules.len()), (2, 0));
    let mut left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    left.retain(|name| !name.starts_with(&module.hex()));
    left.sort();
    assert_eq!(left, ["11.cwasm-new", "key", "notes.txt"]);
}

//! Slots: who decides when, what becomes of faults, and what another process changed.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::Operation;
use adjudicate_host::{
    Action, By, Canary, Composition, Decided, Installed, OnFault, RecordRange, Slot, SlotSettings, Slots,
    Store, Terms, Why, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{CallError, Digest, Host, Settings};
use tempfile::TempDir;

use super::guests::{ENVELOPE, Parts, answer};

/// A store in a directory of its own, and its slots.
pub(crate) struct Bed {
    pub(crate) directory: TempDir,
    pub(crate) slots: Slots,
}

pub(crate) fn open(directory: &TempDir) -> Slots {
    let store = Store::open(&directory.path().join("store")).unwrap();
    let cache = store.cache().ok();
    Slots::open(store, Host::new(Settings { cache, instances: 8, ..Settings::default() }).unwrap()).unwrap()
}

pub(crate) fn bed() -> Bed {
    let directory = tempfile::tempdir().unwrap();
    Bed { slots: open(&directory), directory }
}

/// A manifest with this name and version.
pub(crate) fn manifest_of(name: &str, version: &str) -> &'static str {
    let operations = r#"["evaluate","refine"]"#;
    let text = format!(r#"{{"abi":1,"name":"{name}","version":"{version}","operations":{operations}}}"#);
    // A few bytes for the life of a test.
    Box::leak(text.into_boxed_str())
}

/// A module that answers what the engine answers, with a flag of its own.
pub(crate) fn flagging(name: &str, version: &str, flag: &str) -> Vec<u8> {
    let answer = answer().replacen(r#""risk_flags":[]"#, &format!(r#""risk_flags":["{flag}"]"#), 1);
    Parts {
        reply: format!(r#"{{"ok":{answer}}}"#).into_bytes(),
        manifest: Some(manifest_of(name, version)),
        ..Parts::default()
    }
    .build()
}

/// A module that traps.
pub(crate) fn trapping(version: &str) -> Vec<u8> {
    Parts { call: "(unreachable)", manifest: Some(manifest_of("test", version)), ..Parts::default() }.build()
}

/// A module that traps when the input has this many bytes, and else answers.
fn trapping_at(length: usize) -> Vec<u8> {
    let call =
        format!("(if (i32.eq (local.get $len) (i32.const {length})) (then unreachable)) (i32.const 16)");
    let call = Box::leak(call.into_boxed_str());
    Parts { call, manifest: Some(manifest_of("test", "3.0.0")), ..Parts::default() }.build()
}

impl Bed {
    pub(crate) fn install(&self, module: &[u8]) -> Digest {
        let terms = Terms { unsigned: true, ..Terms::default() };
        self.slots.install(module, &terms).unwrap().module.digest
    }

    pub(crate) fn slot(&self, settings: &str) -> Slot {
        let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
        self.slots.create("release", settings, &Why::default()).unwrap()
    }
}

pub(crate) fn alone(module: Digest) -> Composition {
    Composition::of(module).unsigned()
}

fn call(slot: &Slot) -> Result<Decided, CallError> {
    slot.call(Operation::Evaluate, ENVELOPE.as_bytes())
}

/// The envelope of another run, with as many bytes.
pub(crate) fn run(number: usize) -> String {
    let digit = char::from_digit(u32::try_from(number).unwrap(), 36).unwrap();
    ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"{digit}""#), 1)
}

/// Three calls with distinct inputs, the fewest that lead to a rollback.
pub(crate) fn fail_thrice(slot: &Slot) {
    (0..3).for_each(|number| drop(slot.call(Operation::Evaluate, run(number).as_bytes())));
}

/// The flags of the answer, and who gave it; the code of an error.
fn told(slot: &Slot) -> String {
    match call(slot) {
        Ok(decided) => format!("{} {}", flags(&decided.text), decided.by.as_str()),
        Err(error) => error.code().to_owned(),
    }
}

pub(crate) fn flags(answer: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(answer).unwrap();
    value["decision"]["risk_flags"].to_string()
}

/// Waits for something that happens on another thread soon.
pub(crate) fn until(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..6000 {
        if happened() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{what} did not happen");
}

#[test]
fn a_slot_is_made_filled_swapped_and_rolled_back() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    assert_eq!(bed.slots.slot("release").unwrap_err().code(), codes::UNKNOWN_SLOT);
    let slot = bed.slot("{}");
    assert_eq!(told(&slot), "slot_empty");
    assert_eq!(slot.rollback(None, &Why::default()).unwrap_err().code(), codes::UNKNOWN_VERSION);

    let first = slot.activate(alone(one), &Why::note("the first")).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    assert_eq!(call(&slot).unwrap().modules, [one]);
    slot.activate(alone(two), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["two"] active"#);
    slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    // Back from where that led is where it came from.
    slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["two"] active"#);
    let last = slot.rollback(Some(first.id), &Why::note("again")).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    assert_eq!(call(&slot).unwrap().entry, last.id);

    let history = slot.history(100).unwrap();
    let actions: Vec<_> = history.iter().map(|entry| entry.action).collect();
    use Action::{Activate, Configure, Rollback};
    assert_eq!(actions, [Rollback, Rollback, Rollback, Activate, Activate, Configure]);
    assert_eq!((history[0].note.as_str(), history[4].note.as_str()), ("again", "the first"));
    assert_eq!(slot.rollback(Some(last.id + 1), &Why::default()).unwrap_err().code(), codes::UNKNOWN_VERSION);
    assert_eq!(
        slot.rollback(Some(history[5].id), &Why::default()).unwrap_err().code(),
        codes::UNKNOWN_VERSION
    );
}

#[test]
fn a_change_that_is_refused_changes_nothing() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    let entry = slot.activate(alone(one), &Why::default()).unwrap();
    let stale = Why { expected: Some(entry.id - 1), note: String::new() };
    for (refused, code) in [
        (slot.activate(alone(two), &stale), codes::SLOT_CHANGED),
        (slot.shadow(Some(alone(two)), &stale), codes::SLOT_CHANGED),
        (slot.rollback(Some(entry.id), &stale), codes::SLOT_CHANGED),
        (slot.activate(alone(Digest::of(b"nobody")), &Why::default()), codes::UNKNOWN_MODULE),
        // Not said to need no signature.
        (slot.activate(Composition::of(two), &Why::default()), codes::MODULE_UNSIGNED),
        (slot.canary(Some(Canary::of(alone(two), 1001)), &Why::default()), codes::WRONG_USAGE),
        (slot.activate(alone(two), &Why::note("x".repeat(5000))), codes::LIMIT_EXCEEDED),
    ] {
        assert_eq!(refused.unwrap_err().code(), code);
    }
    assert_eq!((slot.entry(), slot.history(9).unwrap().len()), (entry, 2));
    assert_eq!(told(&slot), r#"["one"] active"#);
    let unsigned = bed.slots.install(&flagging("test", "1.0.0", "three"), &Terms::default());
    assert_eq!(unsigned.unwrap_err().code(), codes::MODULE_UNSIGNED);
}

#[test]
fn what_becomes_of_a_fault_is_the_slots_to_say() {
    for (on_fault, expected) in [
        ("error", "module_trap"),
        ("fail_closed", r#"["policy_module_fault"] fail_closed"#),
        ("last_good", r#"["module_fault","one"] last_good"#),
    ] {
        let bed = bed();
        let slot = bed.slot(&format!(r#"{{"on_fault":"{on_fault}"}}"#));
        slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &Why::default()).unwrap();
        slot.activate(alone(bed.install(&trapping("1.0.1"))), &Why::default()).unwrap();
        assert_eq!(told(&slot), expected);
        assert_eq!(slot.statistics().faults.get("module_trap"), Some(&1));
        // What has no decision says so.
        let refined = slot.call(Operation::Refine, format!(r#"{{"envelope":{ENVELOPE}}}"#).as_bytes());
        assert_eq!(refined.unwrap_err().code(), "module_trap");
        // An envelope that cannot be read is no fault of anybody's.
        assert_eq!(slot.call(Operation::Evaluate, b"{").unwrap_err().code(), "malformed_json");
        assert_eq!(slot.statistics().faults.values().sum::<u64>(), 2);
    }
}

#[test]
fn where_the_last_good_one_fails_too_the_host_decides() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good"}"#);
    slot.activate(alone(bed.install(&trapping("1.0.0"))), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    slot.activate(alone(bed.install(&trapping("1.0.1"))), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    let decided = call(&slot).unwrap();
    assert_eq!(decided.fault.map(|error| error.code()), Some(codes::MODULE_TRAP));
    assert!(decided.text.starts_with(r#"{"decision":{"status":"unsafe""#), "{}", decided.text);
}

#[test]
fn too_many_faults_lead_back_and_the_history_says_why() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":10}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &Why::default()).unwrap();
    let bad = slot.activate(alone(bed.install(&trapping_at(ENVELOPE.len()))), &Why::default()).unwrap();
    let padded = format!("{ENVELOPE} ");
    // Two faults among ten calls are not three.
    for round in 0..3 {
        for fault in 0..2 {
            let input = run(2 * round + fault);
            assert_eq!(slot.call(Operation::Evaluate, input.as_bytes()).unwrap().by, By::FailClosed);
        }
        for _ in 0..10 {
            assert!(slot.call(Operation::Evaluate, padded.as_bytes()).is_ok());
        }
    }
    // Nor is one input that fails again and again.
    for _ in 0..10 {
        assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    }
    thread::sleep(Duration::from_millis(200));
    assert_eq!(slot.entry().id, bad.id);
    fail_thrice(&slot);
    until("the automatic rollback", || slot.entry().id != bad.id);
    assert_eq!(told(&slot), r#"["one"] active"#);
    let entry = slot.entry();
    assert_eq!(entry.action, Action::AutomaticRollback);
    assert!(
        entry.note.starts_with(
            "3 faults within the last 10 calls, from 3 or more distinct inputs (`module_trap` 3); the last one: `test` failed with `module_trap`"
        ),
        "{}",
        entry.note
    );
}

#[test]
fn two_versions_that_both_fail_do_not_take_turns() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":3}}"#);
    let [good, bad, worse] =
        [flagging("test", "1.0.0", "one"), trapping_at(ENVELOPE.len()), trapping("4.0.0")]
            .map(|module| bed.install(&module));
    slot.activate(alone(good), &Why::default()).unwrap();
    slot.activate(alone(bad), &Why::default()).unwrap();
    let last = slot.activate(alone(worse), &Why::default()).unwrap();
    fail_thrice(&slot);
    until("the first rollback", || slot.entry().id == last.id + 1);
    assert_eq!(slot.entry().state.active, Some(alone(bad)));
    fail_thrice(&slot);
    // Not to the one that failed just now, though it was in force before this one.
    until("the second rollback", || slot.entry().id == last.id + 2);
    assert_eq!(slot.entry().state.active, Some(alone(good)));
    assert_eq!(told(&slot), r#"["one"] active"#);

    // A slot that has nothing to roll back to is closed.
    let other = bed.slots.create("other", slot.entry().settings, &Why::default()).unwrap();
    let only = other.activate(alone(worse), &Why::default()).unwrap();
    fail_thrice(&other);
    until("the end", || other.entry().id != only.id);
    assert_eq!((other.entry().action, other.entry().state.active), (Action::AutomaticRollback, None));
    assert_eq!(told(&other), r#"["policy_module_fault"] fail_closed"#);
    assert_eq!(other.statistics().trouble, None);
}

#[test]
fn a_canary_decides_its_runs_and_goes_when_it_fails() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","rollback":{"faults":3,"calls":100}}"#);
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    slot.activate(alone(one), &Why::default()).unwrap();
    slot.canary(Some(Canary::of(alone(two), 250)), &Why::default()).unwrap();
    let by_run = |run: usize| {
        let envelope = ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"run-{run}""#), 1);
        slot.call(Operation::Evaluate, envelope.as_bytes()).unwrap().by
    };
    let first: Vec<_> = (0..400).map(by_run).collect();
    let canaries = first.iter().filter(|by| **by == By::Canary).count();
    assert!((60..140).contains(&canaries), "{canaries} of 400");
    assert_eq!(first, (0..400).map(by_run).collect::<Vec<_>>());

    slot.canary(Some(Canary::of(alone(bed.install(&trapping("2.0.0"))), 1000)), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["module_fault","one"] last_good"#);
    (0..2).for_each(|number| assert_eq!(by_run(number), By::LastGood));
    until("the canary's end", || slot.entry().state.canary.is_none());
    assert_eq!((slot.entry().action, told(&slot)), (Action::CanaryWithdrawn, r#"["one"] active"#.to_owned()));
    assert_eq!(slot.statistics().canary_faults, 3);
    slot.canary(Some(Canary::of(alone(two), 0)), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    // Whoever was tried is put in force, and is tried no longer.
    slot.activate(alone(two), &Why::default()).unwrap();
    assert_eq!((slot.entry().state.canary, told(&slot)), (None, r#"["two"] active"#.to_owned()));
}

#[test]
fn a_shadow_is_asked_and_heard_by_nobody() {
    let bed = bed();
    let slot = bed.slot("{}");
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    slot.activate(alone(one), &Why::default()).unwrap();
    slot.shadow(Some(alone(one)), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    until("the comparison", || slot.statistics().shadow_calls == 1);
    assert_eq!(slot.statistics().shadow_differences, 0);
    slot.shadow(Some(alone(two)), &Why::default()).unwrap();
    for _ in 0..3 {
        assert_eq!(told(&slot), r#"["one"] active"#);
    }
    slot.shadow(Some(alone(bed.install(&trapping("1.0.0")))), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);
    // Who ends waits for what shadows have to say.
    bed.slots.close().unwrap();
    let differences = bed.slots.store().differences("release", 9).unwrap();
    assert_eq!(
        (differences[0].shadow.as_str(), differences[0].run_id.as_deref()),
        ("error module_trap", Some("r"))
    );
    assert!(differences[1].answer.starts_with("success, next publish, sha256:"), "{:?}", differences[1]);
    let canonical = serde_json::from_str::<serde_json::Value>(ENVELOPE).unwrap().to_string();
    assert_eq!(differences[1].input, Digest::of(canonical.as_bytes()).to_string());
    let statistics = slot.statistics();
    assert_eq!((statistics.shadow_differences, statistics.shadow_dropped), (4, 0));
    assert!(statistics.faults.is_empty());
    slot.shadow(None, &Why::default()).unwrap();
    assert_eq!((told(&slot), slot.statistics().shadow_calls), (r#"["one"] active"#.to_owned(), 5));
}

#[test]
fn who_restricts_tightens_and_fails_for_all() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    let blocked = answer().replacen(r#""status":"success""#, r#""status":"blocked""#, 1);
    let strict = Parts {
        reply: format!(r#"{{"ok":{blocked}}}"#).into_bytes(),
        manifest: Some(manifest_of("strict", "1.0.0")),
        ..Parts::default()
    };
    let (base, strict) = (bed.install(&flagging("test", "1.0.0", "one")), bed.install(&strict.build()));
    slot.activate(Composition::of(base).restricted_by(strict).unsigned(), &Why::default()).unwrap();
    let decided = call(&slot).unwrap();
    assert_eq!(decided.modules, [base, strict]);
    let value: serde_json::Value = serde_json::from_str(&decided.text).unwrap();
    assert_eq!(value["decision"]["status"], "blocked");
    assert_eq!(flags(&decided.text), r#"["one"]"#);
    let both =
        Composition::of(base).restricted_by(strict).restricted_by(bed.install(&trapping("1.0.0"))).unsigned();
    slot.activate(both, &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    let many = (0..17).fold(Composition::of(base), |composition, _| composition.restricted_by(strict));
    assert_eq!(slot.activate(many.unsigned(), &Why::default()).unwrap_err().code(), codes::WRONG_USAGE);
}

#[test]
fn what_another_process_changed_is_swapped_in() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    slot.activate(alone(one), &Why::default()).unwrap();
    let other = open(&bed.directory);
    let theirs = other.slot("release").unwrap();
    assert_eq!(told(&theirs), r#"["one"] active"#);
    let entry = theirs.activate(alone(two), &Why::default()).unwrap();
    until("the swap", || slot.entry().id == entry.id);
    assert_eq!(told(&slot), r#"["two"] active"#);
    // A change that overlooks another one is refused, also from here.
    let stale = Why { expected: Some(entry.id - 1), note: String::new() };
    assert_eq!(slot.activate(alone(one), &stale).unwrap_err().code(), codes::SLOT_CHANGED);
}

#[test]
fn bytes_that_were_changed_in_the_store_decide_nothing() {
    let bed = bed();
    let one = bed.install(&flagging("test", "1.0.0", "one"));
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    slot.activate(alone(one), &Why::default()).unwrap();
    let database = bed.directory.path().join("store/adjudicate.db");
    drop(bed.slots);
    let sql = rusqlite::Connection::open(database).unwrap();
    sql.execute("UPDATE modules SET bytes = CAST(bytes || x'00' AS BLOB)", []).unwrap();
    drop(sql);
    let slots = open(&bed.directory);
    let slot = slots.slot("release").unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    let trouble = slot.statistics().trouble.unwrap();
    assert!(trouble.contains("damaged"), "{trouble}");
}

#[test]
fn swaps_under_load_lose_no_call_and_mix_no_answers() {
    let bed = bed();
    let pair = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    slot.activate(alone(pair[0]), &Why::default()).unwrap();
    let (is_over, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let caller = || {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let decided = call(&slot).unwrap();
                    let flag = if decided.modules == [pair[0]] { r#"["one"]"# } else { r#"["two"]"# };
                    assert_eq!((flags(&decided.text).as_str(), decided.by), (flag, By::Active));
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let callers = [caller(), caller(), caller()];
        for swap in 0..200 {
            let before = calls.load(Ordering::Relaxed);
            slot.activate(alone(pair[(swap + 1) % 2]), &Why::default()).unwrap();
            // However busy the machine is, each version is asked. Whoever failed asks no more.
            while calls.load(Ordering::Relaxed) == before
                && callers.iter().any(|caller| !caller.is_finished())
            {
                thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(slot.history(1000).unwrap().len(), 202);
}

#[test]
fn settings_apply_to_what_is_active() {
    let bed = bed();
    let spinning = Parts {
        call: "(loop $again (br $again)) (unreachable)",
        manifest: Some(manifest_of("test", "1.0.0")),
        ..Parts::default()
    };
    let slot = bed.slot("{}");
    slot.activate(alone(bed.install(&spinning.build())), &Why::default()).unwrap();
    assert_eq!(told(&slot), "module_out_of_fuel");
    let settings = SlotSettings { on_fault: OnFault::FailClosed, ..SlotSettings::default() };
    slot.configure(settings, &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    let tight = SlotSettings::parse(br#"{"limits":{"input_bytes":10}}"#).unwrap();
    slot.configure(tight, &Why::default()).unwrap();
    assert_eq!(told(&slot), "module_input_too_large");
    assert_eq!(slot.statistics().faults.get("module_input_too_large"), None);
}

/// A trust policy of these keys, with these members too.
pub(crate) fn trusting(keys: &[&SecretKey], more: &str) -> String {
    let keys: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(index, key)| format!(r#"{{"name":"key {index}","public_key":"{}"}}"#, key.public()))
        .collect();
    format!(r#"{{"keys":[{}]{more}}}"#, keys.join(","))
}

#[test]
fn a_slot_accepts_whom_its_trust_policy_names() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    let [ours, theirs] = [SecretKey::generate().unwrap(), SecretKey::generate().unwrap()];
    let module = |version: &str, key: &SecretKey| sign(&flagging("test", version, version), key).unwrap();
    let install = |module: &[u8]| {
        bed.slots.install(module, &Terms { slot: Some("release".to_owned()), unsigned: false })
    };
    let code = |result: Result<_, adjudicate_core::Error>| {
        result.map(|_: Installed| ()).map_err(|error| error.code())
    };

    assert_eq!(code(install(&module("1.0.0", &ours))), Err(codes::MODULE_UNTRUSTED_KEY));
    bed.slots.set_trust(None, &trusting(&[&ours], "")).unwrap();
    let one = install(&module("1.0.0", &ours)).unwrap().module;
    assert!(one.verdict.contains("key 0"), "{}", one.verdict);
    assert_eq!(code(install(&module("1.0.0", &theirs))), Err(codes::MODULE_UNTRUSTED_KEY));
    assert_eq!(code(install(&flagging("test", "1.0.0", "x"))), Err(codes::MODULE_UNSIGNED));
    let mut tampered = module("1.0.0", &ours);
    *tampered.last_mut().unwrap() ^= 1;
    assert_eq!(code(install(&tampered)), Err(codes::MODULE_SIGNATURE));

    slot.activate(Composition::of(one.digest), &Why::default()).unwrap();
    let two = install(&module("1.1.0", &ours)).unwrap().module;
    slot.activate(Composition::of(two.digest), &Why::default()).unwrap();
    // What was in force once may come back by a rollback, and not as if it were new.
    let downgraded = slot.activate(Composition::of(one.digest), &Why::default()).unwrap_err();
    assert_eq!(downgraded.code(), codes::MODULE_DOWNGRADE);
    slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["1.0.0"] active"#);
    let downgraded = slot.activate(Composition::of(one.digest), &Why::default()).unwrap_err();
    assert_eq!(downgraded.code(), codes::MODULE_DOWNGRADE);

    // A slot's own policy is in force instead of the store's.
    bed.slots.set_trust(Some("release"), &trusting(&[&ours, &theirs], r#","threshold":2"#)).unwrap();
    assert_eq!(told(&slot), r#"["policy_module_fault"] fail_closed"#);
    assert!(slot.statistics().trouble.unwrap().contains("sign"), "{:?}", slot.statistics());
    let below = slot.activate(Composition::of(two.digest), &Why::default()).unwrap_err();
    assert_eq!(below.code(), codes::MODULE_BELOW_THRESHOLD);
    let both = install(&sign(&module("1.2.0", &ours), &theirs).unwrap()).unwrap().module;
    slot.activate(Composition::of(both.digest), &Why::default()).unwrap();
    assert_eq!(told(&slot), r#"["1.2.0"] active"#);
    // What is empty takes nothing away by accident.
    assert_eq!(bed.slots.set_trust(Some("release"), "").unwrap_err().code(), codes::MALFORMED_JSON);
    assert!(bed.slots.trust(Some("release")).unwrap().unwrap().contains("threshold"));
    bed.slots.unset_trust("release").unwrap();
    assert!(!bed.slots.trust(Some("release")).unwrap().unwrap().contains("threshold"));
    assert_eq!(told(&slot), r#"["1.2.0"] active"#);
}

#[test]
fn a_key_that_is_revoked_decides_nothing_any_more_here_and_elsewhere() {
    let bed = bed();
    let slot = bed.slot("{}");
    let key = SecretKey::generate().unwrap();
    bed.slots.set_trust(None, &trusting(&[&key], "")).unwrap();
    let module = sign(&flagging("test", "1.0.0", "one"), &key).unwrap();
    let digest = bed.slots.install(&module, &Terms::default()).unwrap().module.digest;
    slot.activate(Composition::of(digest), &Why::default()).unwrap();
    let elsewhere = open(&bed.directory);
    let there = elsewhere.slot("release").unwrap();
    assert_eq!(told(&there), r#"["one"] active"#);

    let revoked = trusting(&[&key], "").replace(r#""name""#, r#""revoked":true,"name""#);
    bed.slots.set_trust(None, &revoked).unwrap();
    assert_eq!(told(&slot), "module_key_revoked");
    until("the revocation elsewhere", || told(&there) == "module_key_revoked");
    assert_eq!(
        slot.activate(Composition::of(digest), &Why::default()).unwrap_err().code(),
        codes::MODULE_KEY_REVOKED
    );
    // Trusted again, it decides again.
    bed.slots.set_trust(None, &trusting(&[&key], "")).unwrap();
    assert_eq!(told(&slot), r#"["one"] active"#);

    assert_eq!(bed.slots.set_trust(Some("nobody"), "{}").unwrap_err().code(), codes::UNKNOWN_SLOT);
    assert_eq!(bed.slots.set_trust(None, "").unwrap_err().code(), codes::MALFORMED_JSON);
    assert_eq!(bed.slots.set_trust(None, r#"{"key":[]}"#).unwrap_err().path(), "/key");
}

#[test]
fn a_slot_that_keeps_records_answers_nothing_that_is_not_on_record() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","records":{"redact":["/evidence/transcript_summary"]}}"#);
    let [one, bad] = [flagging("test", "1.0.0", "one"), trapping("1.1.0")].map(|module| bed.install(&module));
    slot.activate(alone(one), &Why::default()).unwrap();
    let first = call(&slot).unwrap();
    assert!(slot.call(Operation::Evaluate, b"{").is_err());
    slot.activate(alone(bad), &Why::default()).unwrap();
    assert_eq!(call(&slot).unwrap().by, By::LastGood);
    let refined = slot.call(Operation::Refine, format!(r#"{{"envelope":{ENVELOPE}}}"#).as_bytes());
    assert_eq!(refined.unwrap_err().code(), "module_trap");

    let store = bed.slots.store();
    assert_eq!(store.verify_records("release", &[]).unwrap().1, 4);
    let mut records: Vec<serde_json::Value> = Vec::new();
    let keep = |line: &str| -> Result<(), adjudicate_core::Error> {
        records.push(serde_json::from_str(line).unwrap());
        Ok(())
    };
    store.export_records("release", RecordRange::default(), keep).unwrap();
    let told = |index: usize| &records[index];
    assert_eq!(
        (&told(0)["answer"], &told(0)["by"], &told(0)["entry"]),
        (&first.text.into(), &"active".into(), &first.entry.into())
    );
    assert_eq!(told(0)["modules"][0], one.to_string());
    assert!(told(0)["input"].as_str().unwrap().contains("x-redacted"));
    assert!(told(1)["error"].as_str().unwrap().contains("malformed_json"), "{}", told(1));
    assert_eq!((&told(2)["by"], &told(2)["modules"][0]), (&"last_good".into(), &one.to_string().into()));
    assert!(told(2)["fault"].as_str().unwrap().contains("module_trap"));
    assert_eq!((&told(3)["operation"], &told(3)["modules"][0]), (&"refine".into(), &bad.to_string().into()));

    bed.slots.close().unwrap();
    assert_eq!(call(&slot).unwrap_err().code(), "store_fault");
}

#[test]
fn a_slot_that_cannot_keep_its_records_answers_nothing_and_says_so_for_as_long() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","records":{}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &Why::default()).unwrap();
    let tamper = |sql: &str| {
        let connection =
            rusqlite::Connection::open(bed.directory.path().join("store/adjudicate.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        connection.execute_batch(sql).unwrap();
    };
    let full = "CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
    assert_eq!((told(&slot).as_str(), bed.slots.unrecorded().len()), (r#"["one"] active"#, 0));
    tamper(full);
    assert_eq!(told(&slot), "store_fault");
    assert_eq!(bed.slots.unrecorded().into_keys().collect::<Vec<_>>(), ["release"]);
    let unrecorded = slot.statistics().unrecorded.unwrap();
    assert!(unrecorded.contains("disk is full"), "{unrecorded}");
    // It runs what is in force all the same.
    assert!(bed.slots.troubles().is_empty() && slot.statistics().trouble.is_none());
    tamper("DROP TRIGGER full");
    until("the end of the trouble", || bed.slots.unrecorded().is_empty());
    assert_eq!((told(&slot).as_str(), slot.statistics().unrecorded), (r#"["one"] active"#, None));
    // A slot that keeps none has nothing to write.
    tamper(full);
    assert_eq!((told(&slot).as_str(), bed.slots.unrecorded().len()), ("store_fault", 1));
    slot.configure(SlotSettings::default(), &Why::default()).unwrap();
    assert_eq!((bed.slots.unrecorded().len(), slot.statistics().unrecorded), (0, None));
    assert_eq!(told(&slot), r#"["one"] active"#);
}

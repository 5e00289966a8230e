//! Slots: roles, handling of faults, and changes by other processes.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::{Operation, evaluate::Status, owned::Envelope};
use adjudicate_host::{
    Canary, ChangeReason, Composition, DecidedBy, InstallOptions, Installed, OnFault, RecordRange, Slot,
    SlotAction, SlotAnswer, SlotSettings, Slots, Store, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{CallError, Digest, Host, HostSettings};
use tempfile::TempDir;

use super::guests::{ENVELOPE, Parts, answer};

/// A store in a directory of its own, with its slots.
pub(crate) struct Bed {
    pub(crate) directory: TempDir,
    pub(crate) slots: Slots,
}

pub(crate) fn open(directory: &TempDir) -> Slots {
    let store = Store::open(&directory.path().join("store")).unwrap();
    let cache = store.cache().ok();
    Slots::open(store, Host::new(HostSettings { cache, instances: 8, ..HostSettings::default() }).unwrap())
        .unwrap()
}

pub(crate) fn bed() -> Bed {
    let directory = tempfile::tempdir().unwrap();
    Bed { slots: open(&directory), directory }
}

/// A manifest with this name and version.
pub(crate) fn manifest_of(name: &str, version: &str) -> &'static str {
    let operations = r#"["evaluate","refine"]"#;
    let text = format!(r#"{{"abi":1,"name":"{name}","version":"{version}","operations":{operations}}}"#);
    // A few bytes for the lifetime of a test.
    Box::leak(text.into_boxed_str())
}

/// A module with the answer of the engine and a flag of its own.
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

/// A module that traps for inputs of this length.
fn trapping_at(length: usize) -> Vec<u8> {
    let call =
        format!("(if (i32.eq (local.get $len) (i32.const {length})) (then unreachable)) (i32.const 16)");
    let call = Box::leak(call.into_boxed_str());
    Parts { call, manifest: Some(manifest_of("test", "3.0.0")), ..Parts::default() }.build()
}

impl Bed {
    pub(crate) fn install(&self, module: &[u8]) -> Digest {
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        self.slots.install(module, &terms).unwrap().module.digest
    }

    pub(crate) fn slot(&self, settings: &str) -> Slot {
        let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
        self.slots.create("release", settings, &ChangeReason::default()).unwrap()
    }
}

pub(crate) fn alone(module: Digest) -> Composition {
    Composition::new(module).unsigned()
}

fn call(slot: &Slot) -> Result<SlotAnswer, CallError> {
    slot.call(Operation::Evaluate, ENVELOPE.as_bytes())
}

/// The envelope of another run with the same length.
pub(crate) fn run(number: usize) -> String {
    let digit = char::from_digit(u32::try_from(number).unwrap(), 36).unwrap();
    ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"{digit}""#), 1)
}

/// Three calls with distinct inputs, the fewest that cause a rollback.
pub(crate) fn fail_thrice(slot: &Slot) {
    (0..3).for_each(|number| drop(slot.call(Operation::Evaluate, run(number).as_bytes())));
}

/// The flags of the answer and its author, or the code of an error.
fn observed(slot: &Slot) -> String {
    match call(slot) {
        Ok(decided) => format!("{} {}", flags(&decided.text), decided.by),
        Err(error) => error.code().to_owned(),
    }
}

pub(crate) fn flags(answer: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(answer).unwrap();
    value["decision"]["risk_flags"].to_string()
}

/// Waits for an event on another thread.
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
fn a_typed_call_has_the_answer_as_a_value() {
    let bed = bed();
    let envelope = Envelope::from_json(ENVELOPE.as_bytes()).unwrap();
    let [base, flagging] =
        [Parts::default().build(), flagging("strict", "1.0.0", "late")].map(|module| bed.install(&module));
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    assert_eq!(slot.evaluate(&envelope, None).unwrap().answer.findings[0].rule, "policy_module_fault");
    let composition = Composition::new(base).restricted_by(flagging).unsigned();
    slot.activate(composition, &ChangeReason::default()).unwrap();
    let decided = slot.evaluate(&envelope, None).unwrap();
    assert_eq!(decided.answer.decision.risk_flags, ["late"]);
    assert_eq!((decided.by, decided.modules.as_slice()), (DecidedBy::Active, &[base, flagging][..]));
    assert_eq!(decided.text, call(&slot).unwrap().text);
    assert_eq!(slot.refine(&envelope, None).unwrap_err().code(), "unsupported_operation");

    slot.activate(alone(bed.install(&trapping("2.0.0"))), &ChangeReason::default()).unwrap();
    let decided = slot.evaluate(&envelope, None).unwrap();
    assert_eq!((decided.answer.decision.status, decided.by), (Status::Unsafe, DecidedBy::FailClosed));
    assert_eq!(slot.refine(&envelope, None).unwrap_err().code(), "module_trap");
}

#[test]
fn a_slot_is_created_activated_swapped_and_rolled_back() {
    let bed = bed();
    let [one, two, three] = ["one", "two", "three"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    assert_eq!(bed.slots.slot("release").unwrap_err().code(), codes::UNKNOWN_SLOT);
    let slot = bed.slot("{}");
    assert_eq!(observed(&slot), "slot_empty");
    assert_eq!(slot.rollback(None, &ChangeReason::default()).unwrap_err().code(), codes::UNKNOWN_VERSION);

    let first = slot.activate(alone(one), &ChangeReason::note("the first")).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    assert_eq!(call(&slot).unwrap().modules, [one]);
    slot.activate(alone(two), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["two"] active"#);
    let third = slot.activate(alone(three), &ChangeReason::default()).unwrap();
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["two"] active"#);
    // A second rollback goes further back, even if the settings changed meanwhile, and a third one has no target.
    slot.configure(slot.entry().settings, &ChangeReason::default()).unwrap();
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    let refused = slot.rollback(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(refused.code(), codes::UNKNOWN_VERSION);
    assert!(
        refused
            .message()
            .ends_with("or a rollback replaced it; to return to one of its history, name the entry")
    );
    slot.rollback(Some(third.id), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["three"] active"#);
    let last = slot.rollback(Some(first.id), &ChangeReason::note("again")).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    assert_eq!(call(&slot).unwrap().entry, last.id);

    let history = slot.history(100).unwrap();
    let actions: Vec<_> = history.iter().map(|entry| entry.action).collect();
    use SlotAction::{Activate, Configure, Rollback};
    assert_eq!(
        actions,
        [Rollback, Rollback, Rollback, Configure, Rollback, Activate, Activate, Activate, Configure]
    );
    assert_eq!((history[0].note.as_str(), history[7].note.as_str()), ("again", "the first"));
    assert_eq!(
        slot.rollback(Some(last.id + 1), &ChangeReason::default()).unwrap_err().code(),
        codes::UNKNOWN_VERSION
    );
    assert_eq!(
        slot.rollback(Some(history[8].id), &ChangeReason::default()).unwrap_err().code(),
        codes::UNKNOWN_VERSION
    );
}

#[test]
fn a_rejected_change_changes_nothing() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    let entry = slot.activate(alone(one), &ChangeReason::default()).unwrap();
    let stale = ChangeReason { expected: Some(entry.id - 1), note: String::new() };
    for (refused, code) in [
        (slot.activate(alone(two), &stale), codes::SLOT_CHANGED),
        (slot.shadow(Some(alone(two)), &stale), codes::SLOT_CHANGED),
        (slot.rollback(Some(entry.id), &stale), codes::SLOT_CHANGED),
        (slot.activate(alone(Digest::sha256(b"nobody")), &ChangeReason::default()), codes::UNKNOWN_MODULE),
        // Without the mark that it needs no signature.
        (slot.activate(Composition::new(two), &ChangeReason::default()), codes::MODULE_UNSIGNED),
        (slot.canary(Some(Canary::new(alone(two), 1001)), &ChangeReason::default()), codes::WRONG_USAGE),
        (slot.activate(alone(two), &ChangeReason::note("x".repeat(5000))), codes::LIMIT_EXCEEDED),
    ] {
        assert_eq!(refused.unwrap_err().code(), code);
    }
    assert_eq!((slot.entry(), slot.history(9).unwrap().len()), (entry, 2));
    assert_eq!(observed(&slot), r#"["one"] active"#);
    let unsigned = bed.slots.install(&flagging("test", "1.0.0", "three"), &InstallOptions::default());
    assert_eq!(unsigned.unwrap_err().code(), codes::MODULE_UNSIGNED);
}

#[test]
fn the_settings_of_a_slot_determine_the_answer_after_a_fault() {
    for (on_fault, expected) in [
        ("error", "module_trap"),
        ("fail_closed", r#"["policy_module_fault"] fail_closed"#),
        ("last_good", r#"["module_fault","one"] last_good"#),
    ] {
        let bed = bed();
        let slot = bed.slot(&format!(r#"{{"on_fault":"{on_fault}"}}"#));
        slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default())
            .unwrap();
        slot.activate(alone(bed.install(&trapping("1.0.1"))), &ChangeReason::default()).unwrap();
        assert_eq!(observed(&slot), expected);
        assert_eq!(slot.statistics().faults.get("module_trap"), Some(&1));
        // Operations without decisions return the error.
        let refined = slot.call(Operation::Refine, format!(r#"{{"envelope":{ENVELOPE}}}"#).as_bytes());
        assert_eq!(refined.unwrap_err().code(), "module_trap");
        // An invalid envelope is not a fault of a module.
        assert_eq!(slot.call(Operation::Evaluate, b"{").unwrap_err().code(), "malformed_json");
        assert_eq!(slot.statistics().faults.values().sum::<u64>(), 2);
    }
}

#[test]
fn the_host_decides_if_the_last_good_version_fails_too() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good"}"#);
    slot.activate(alone(bed.install(&trapping("1.0.0"))), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    slot.activate(alone(bed.install(&trapping("1.0.1"))), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    let decided = call(&slot).unwrap();
    assert_eq!(decided.fault.map(|error| error.code()), Some(codes::MODULE_TRAP));
    assert!(decided.text.starts_with(r#"{"decision":{"status":"unsafe""#), "{}", decided.text);
}

#[test]
fn too_many_faults_cause_a_rollback_with_a_note() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":10}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default()).unwrap();
    let bad =
        slot.activate(alone(bed.install(&trapping_at(ENVELOPE.len()))), &ChangeReason::default()).unwrap();
    let padded = format!("{ENVELOPE} ");
    // Two faults among ten calls are not enough.
    for round in 0..3 {
        for fault in 0..2 {
            let input = run(2 * round + fault);
            assert_eq!(slot.call(Operation::Evaluate, input.as_bytes()).unwrap().by, DecidedBy::FailClosed);
        }
        for _ in 0..10 {
            assert!(slot.call(Operation::Evaluate, padded.as_bytes()).is_ok());
        }
    }
    // Repeated faults of one input do not count, either.
    for _ in 0..10 {
        assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    }
    thread::sleep(Duration::from_millis(200));
    assert_eq!(slot.entry().id, bad.id);
    fail_thrice(&slot);
    until("the automatic rollback", || slot.entry().id != bad.id);
    assert_eq!(observed(&slot), r#"["one"] active"#);
    let entry = slot.entry();
    assert_eq!(entry.action, SlotAction::AutomaticRollback);
    assert!(
        entry.note.starts_with(
            "3 faults within the last 10 calls, from 3 or more distinct inputs (`module_trap` 3); the last one: `test` failed with `module_trap`"
        ),
        "{}",
        entry.note
    );
}

#[test]
fn two_failing_versions_do_not_alternate() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":3}}"#);
    let [good, bad, worse] =
        [flagging("test", "1.0.0", "one"), trapping_at(ENVELOPE.len()), trapping("4.0.0")]
            .map(|module| bed.install(&module));
    slot.activate(alone(good), &ChangeReason::default()).unwrap();
    slot.activate(alone(bad), &ChangeReason::default()).unwrap();
    let last = slot.activate(alone(worse), &ChangeReason::default()).unwrap();
    fail_thrice(&slot);
    until("the first rollback", || slot.entry().id == last.id + 1);
    assert_eq!(slot.entry().state.active, Some(alone(bad)));
    fail_thrice(&slot);
    // The target is not the version that just failed, although it was active before this one.
    until("the second rollback", || slot.entry().id == last.id + 2);
    assert_eq!(slot.entry().state.active, Some(alone(good)));
    assert_eq!(observed(&slot), r#"["one"] active"#);

    // A slot without a rollback target is closed.
    let other = bed.slots.create("other", slot.entry().settings, &ChangeReason::default()).unwrap();
    let only = other.activate(alone(worse), &ChangeReason::default()).unwrap();
    fail_thrice(&other);
    until("the end", || other.entry().id != only.id);
    assert_eq!((other.entry().action, other.entry().state.active), (SlotAction::AutomaticRollback, None));
    assert_eq!(observed(&other), r#"["policy_module_fault"] fail_closed"#);
    assert_eq!(other.statistics().problem, None);
}

#[test]
fn a_canary_decides_its_runs_and_is_withdrawn_when_it_fails() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","rollback":{"faults":3,"calls":100}}"#);
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    slot.canary(Some(Canary::new(alone(two), 250)), &ChangeReason::default()).unwrap();
    let by_run = |run: usize| {
        let envelope = ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"run-{run}""#), 1);
        slot.call(Operation::Evaluate, envelope.as_bytes()).unwrap().by
    };
    let first: Vec<_> = (0..400).map(by_run).collect();
    let canaries = first.iter().filter(|by| **by == DecidedBy::Canary).count();
    assert!((60..140).contains(&canaries), "{canaries} of 400");
    assert_eq!(first, (0..400).map(by_run).collect::<Vec<_>>());

    slot.canary(Some(Canary::new(alone(bed.install(&trapping("2.0.0"))), 1000)), &ChangeReason::default())
        .unwrap();
    assert_eq!(observed(&slot), r#"["module_fault","one"] last_good"#);
    (0..2).for_each(|number| assert_eq!(by_run(number), DecidedBy::LastGood));
    until("the canary's end", || slot.entry().state.canary.is_none());
    assert_eq!(
        (slot.entry().action, observed(&slot)),
        (SlotAction::CanaryWithdrawn, r#"["one"] active"#.to_owned())
    );
    assert_eq!(slot.statistics().canary_faults, 3);
    slot.canary(Some(Canary::new(alone(two), 0)), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    // A canary that becomes active is no longer a canary.
    slot.activate(alone(two), &ChangeReason::default()).unwrap();
    assert_eq!((slot.entry().state.canary, observed(&slot)), (None, r#"["two"] active"#.to_owned()));
}

#[test]
fn a_shadow_is_called_without_effect_on_answers() {
    let bed = bed();
    let slot = bed.slot("{}");
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    slot.shadow(Some(alone(one)), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    until("the comparison", || slot.statistics().shadow_calls == 1);
    assert_eq!(slot.statistics().shadow_differences, 0);
    slot.shadow(Some(alone(two)), &ChangeReason::default()).unwrap();
    for _ in 0..3 {
        assert_eq!(observed(&slot), r#"["one"] active"#);
    }
    slot.shadow(Some(alone(bed.install(&trapping("1.0.0")))), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);
    // Closing waits for the shadows.
    bed.slots.close().unwrap();
    let differences = bed.slots.store().differences("release", 9).unwrap();
    assert_eq!(
        (differences[0].shadow.as_str(), differences[0].run_id.as_deref()),
        ("error module_trap", Some("r"))
    );
    assert!(differences[1].answer.starts_with("success, next publish, sha256:"), "{:?}", differences[1]);
    let canonical = serde_json::from_str::<serde_json::Value>(ENVELOPE).unwrap().to_string();
    assert_eq!(differences[1].input, Digest::sha256(canonical.as_bytes()).to_string());
    let statistics = slot.statistics();
    assert_eq!((statistics.shadow_differences, statistics.shadow_dropped), (4, 0));
    assert!(statistics.faults.is_empty());
    slot.shadow(None, &ChangeReason::default()).unwrap();
    assert_eq!((observed(&slot), slot.statistics().shadow_calls), (r#"["one"] active"#.to_owned(), 5));
}

#[test]
fn a_restriction_tightens_decisions_and_its_failure_fails_the_call() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    let blocked = answer().replacen(r#""status":"success""#, r#""status":"blocked""#, 1);
    let strict = Parts {
        reply: format!(r#"{{"ok":{blocked}}}"#).into_bytes(),
        manifest: Some(manifest_of("strict", "1.0.0")),
        ..Parts::default()
    };
    let (base, strict) = (bed.install(&flagging("test", "1.0.0", "one")), bed.install(&strict.build()));
    slot.activate(Composition::new(base).restricted_by(strict).unsigned(), &ChangeReason::default()).unwrap();
    let decided = call(&slot).unwrap();
    assert_eq!(decided.modules, [base, strict]);
    let value: serde_json::Value = serde_json::from_str(&decided.text).unwrap();
    assert_eq!(value["decision"]["status"], "blocked");
    assert_eq!(flags(&decided.text), r#"["one"]"#);
    let both = Composition::new(base)
        .restricted_by(strict)
        .restricted_by(bed.install(&trapping("1.0.0")))
        .unsigned();
    slot.activate(both, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    let many = (0..17).fold(Composition::new(base), |composition, _| composition.restricted_by(strict));
    assert_eq!(
        slot.activate(many.unsigned(), &ChangeReason::default()).unwrap_err().code(),
        codes::WRONG_USAGE
    );
}

#[test]
fn changes_of_another_process_take_effect() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    let other = open(&bed.directory);
    let theirs = other.slot("release").unwrap();
    assert_eq!(observed(&theirs), r#"["one"] active"#);
    let entry = theirs.activate(alone(two), &ChangeReason::default()).unwrap();
    until("the swap", || slot.entry().id == entry.id);
    assert_eq!(observed(&slot), r#"["two"] active"#);
    // A change with an outdated entry is rejected, also here.
    let stale = ChangeReason { expected: Some(entry.id - 1), note: String::new() };
    assert_eq!(slot.activate(alone(one), &stale).unwrap_err().code(), codes::SLOT_CHANGED);
}

#[test]
fn modules_with_changed_bytes_in_the_store_do_not_answer() {
    let bed = bed();
    let one = bed.install(&flagging("test", "1.0.0", "one"));
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    let database = bed.directory.path().join("store/adjudicate.db");
    drop(bed.slots);
    let sql = rusqlite::Connection::open(database).unwrap();
    sql.execute("UPDATE modules SET bytes = CAST(bytes || x'00' AS BLOB)", []).unwrap();
    drop(sql);
    let slots = open(&bed.directory);
    let slot = slots.slot("release").unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    let problem = slot.statistics().problem.unwrap();
    assert!(problem.contains("damaged"), "{problem}");
}

#[test]
fn swaps_under_load_lose_no_call_and_mix_no_answers() {
    let bed = bed();
    let pair = ["one", "two"].map(|flag| bed.install(&flagging("test", "1.0.0", flag)));
    let slot = bed.slot("{}");
    slot.activate(alone(pair[0]), &ChangeReason::default()).unwrap();
    let (is_over, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let caller = || {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let decided = call(&slot).unwrap();
                    let flag = if decided.modules == [pair[0]] { r#"["one"]"# } else { r#"["two"]"# };
                    assert_eq!((flags(&decided.text).as_str(), decided.by), (flag, DecidedBy::Active));
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let callers = [caller(), caller(), caller()];
        for swap in 0..200 {
            let before = calls.load(Ordering::Relaxed);
            slot.activate(alone(pair[(swap + 1) % 2]), &ChangeReason::default()).unwrap();
            // Each version is called, however slow the machine is. Threads that fail stop calling.
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
    slot.activate(alone(bed.install(&spinning.build())), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), "module_out_of_fuel");
    let settings = SlotSettings { on_fault: OnFault::FailClosed, ..SlotSettings::default() };
    slot.configure(settings, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    let tight = SlotSettings::parse(br#"{"limits":{"input_bytes":10}}"#).unwrap();
    slot.configure(tight, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), "module_input_too_large");
    assert_eq!(slot.statistics().faults.get("module_input_too_large"), None);
}

/// A trust policy with these keys and further fields.
pub(crate) fn trusting(keys: &[&SecretKey], more: &str) -> String {
    let keys: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(index, key)| format!(r#"{{"name":"key {index}","public_key":"{}"}}"#, key.public()))
        .collect();
    format!(r#"{{"keys":[{}]{more}}}"#, keys.join(","))
}

#[test]
fn a_slot_accepts_the_keys_of_its_trust_policy() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed"}"#);
    let [ours, theirs] = [SecretKey::generate().unwrap(), SecretKey::generate().unwrap()];
    let module = |version: &str, key: &SecretKey| sign(&flagging("test", version, version), key).unwrap();
    let install = |module: &[u8]| {
        bed.slots.install(module, &InstallOptions { slot: Some("release".to_owned()), unsigned: false })
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

    slot.activate(Composition::new(one.digest), &ChangeReason::default()).unwrap();
    let two = install(&module("1.1.0", &ours)).unwrap().module;
    slot.activate(Composition::new(two.digest), &ChangeReason::default()).unwrap();
    // An earlier active version can return by a rollback, but not by an activation.
    let downgraded = slot.activate(Composition::new(one.digest), &ChangeReason::default()).unwrap_err();
    assert_eq!(downgraded.code(), codes::MODULE_DOWNGRADE);
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["1.0.0"] active"#);
    let downgraded = slot.activate(Composition::new(one.digest), &ChangeReason::default()).unwrap_err();
    assert_eq!(downgraded.code(), codes::MODULE_DOWNGRADE);

    // A slot's own policy replaces the store's policy.
    bed.slots.set_trust(Some("release"), &trusting(&[&ours, &theirs], r#","threshold":2"#)).unwrap();
    assert_eq!(observed(&slot), r#"["policy_module_fault"] fail_closed"#);
    assert!(slot.statistics().problem.unwrap().contains("sign"), "{:?}", slot.statistics());
    let below = slot.activate(Composition::new(two.digest), &ChangeReason::default()).unwrap_err();
    assert_eq!(below.code(), codes::MODULE_BELOW_THRESHOLD);
    let both = install(&sign(&module("1.2.0", &ours), &theirs).unwrap()).unwrap().module;
    slot.activate(Composition::new(both.digest), &ChangeReason::default()).unwrap();
    assert_eq!(observed(&slot), r#"["1.2.0"] active"#);
    // An empty document does not remove a policy by accident.
    assert_eq!(bed.slots.set_trust(Some("release"), "").unwrap_err().code(), codes::MALFORMED_JSON);
    assert!(bed.slots.trust(Some("release")).unwrap().unwrap().contains("threshold"));
    bed.slots.unset_trust("release").unwrap();
    assert!(!bed.slots.trust(Some("release")).unwrap().unwrap().contains("threshold"));
    assert_eq!(observed(&slot), r#"["1.2.0"] active"#);
}

#[test]
fn modules_of_a_revoked_key_stop_answering_in_every_process() {
    let bed = bed();
    let slot = bed.slot("{}");
    let key = SecretKey::generate().unwrap();
    bed.slots.set_trust(None, &trusting(&[&key], "")).unwrap();
    let module = sign(&flagging("test", "1.0.0", "one"), &key).unwrap();
    let digest = bed.slots.install(&module, &InstallOptions::default()).unwrap().module.digest;
    slot.activate(Composition::new(digest), &ChangeReason::default()).unwrap();
    let elsewhere = open(&bed.directory);
    let there = elsewhere.slot("release").unwrap();
    assert_eq!(observed(&there), r#"["one"] active"#);

    let revoked = trusting(&[&key], "").replace(r#""name""#, r#""revoked":true,"name""#);
    bed.slots.set_trust(None, &revoked).unwrap();
    assert_eq!(observed(&slot), "module_key_revoked");
    until("the revocation elsewhere", || observed(&there) == "module_key_revoked");
    assert_eq!(
        slot.activate(Composition::new(digest), &ChangeReason::default()).unwrap_err().code(),
        codes::MODULE_KEY_REVOKED
    );
    // A key that is trusted again counts again.
    bed.slots.set_trust(None, &trusting(&[&key], "")).unwrap();
    assert_eq!(observed(&slot), r#"["one"] active"#);

    assert_eq!(bed.slots.set_trust(Some("nobody"), "{}").unwrap_err().code(), codes::UNKNOWN_SLOT);
    assert_eq!(bed.slots.set_trust(None, "").unwrap_err().code(), codes::MALFORMED_JSON);
    assert_eq!(bed.slots.set_trust(None, r#"{"key":[]}"#).unwrap_err().path(), "/key");
}

#[test]
fn a_slot_with_records_gives_no_answer_without_its_record() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","records":{"redact":["/evidence/transcript_summary"]}}"#);
    let [one, bad] = [flagging("test", "1.0.0", "one"), trapping("1.1.0")].map(|module| bed.install(&module));
    slot.activate(alone(one), &ChangeReason::default()).unwrap();
    let first = call(&slot).unwrap();
    assert!(slot.call(Operation::Evaluate, b"{").is_err());
    slot.activate(alone(bad), &ChangeReason::default()).unwrap();
    assert_eq!(call(&slot).unwrap().by, DecidedBy::LastGood);
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
    let observed = |index: usize| &records[index];
    assert_eq!(
        (&observed(0)["answer"], &observed(0)["by"], &observed(0)["entry"]),
        (&first.text.into(), &"active".into(), &first.entry.into())
    );
    assert_eq!(observed(0)["modules"][0], one.to_string());
    assert!(observed(0)["input"].as_str().unwrap().contains("x-redacted"));
    assert!(observed(1)["error"].as_str().unwrap().contains("malformed_json"), "{}", observed(1));
    assert_eq!(
        (&observed(2)["by"], &observed(2)["modules"][0]),
        (&"last_good".into(), &one.to_string().into())
    );
    assert!(observed(2)["fault"].as_str().unwrap().contains("module_trap"));
    assert_eq!(
        (&observed(3)["operation"], &observed(3)["modules"][0]),
        (&"refine".into(), &bad.to_string().into())
    );

    bed.slots.close().unwrap();
    assert_eq!(call(&slot).unwrap_err().code(), "store_fault");
}

#[test]
fn a_slot_that_cannot_write_its_records_fails_and_reports_it_meanwhile() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","records":{}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default()).unwrap();
    let tamper = |sql: &str| {
        let connection =
            rusqlite::Connection::open(bed.directory.path().join("store/adjudicate.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        connection.execute_batch(sql).unwrap();
    };
    let full = "CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
    assert_eq!((observed(&slot).as_str(), bed.slots.unrecorded().len()), (r#"["one"] active"#, 0));
    tamper(full);
    assert_eq!(observed(&slot), "store_fault");
    assert_eq!(bed.slots.unrecorded().into_keys().collect::<Vec<_>>(), ["release"]);
    let unrecorded = slot.statistics().unrecorded.unwrap();
    assert!(unrecorded.contains("disk is full"), "{unrecorded}");
    // The active composition itself has no problem.
    assert!(bed.slots.problems().is_empty() && slot.statistics().problem.is_none());
    tamper("DROP TRIGGER full");
    until("the end of the trouble", || bed.slots.unrecorded().is_empty());
    assert_eq!((observed(&slot).as_str(), slot.statistics().unrecorded), (r#"["one"] active"#, None));
    // A slot without records has nothing to write.
    tamper(full);
    assert_eq!((observed(&slot).as_str(), bed.slots.unrecorded().len()), ("store_fault", 1));
    slot.configure(SlotSettings::default(), &ChangeReason::default()).unwrap();
    assert_eq!((bed.slots.unrecorded().len(), slot.statistics().unrecorded), (0, None));
    assert_eq!(observed(&slot), r#"["one"] active"#);
}

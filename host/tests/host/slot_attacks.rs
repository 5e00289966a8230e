//! Attacks on slots: revoked modules stop answering everywhere, redacted values appear nowhere, and concurrent changes of a slot do
//! not overwrite each other.

use std::{thread, time::Duration};

use adjudicate_core::Operation;
use adjudicate_host::{
    Canary, ChangeReason, Composition, InstallOptions, OnFault, Slot, SlotAction, SlotSettings, Slots, Store,
    codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Digest, Host, HostSettings, Limits};

use super::{
    guests::{ENVELOPE, Parts, answer, with_section},
    slots::{alone, bed, fail_thrice, flagging, open, trapping},
};

fn call(slot: &Slot) -> String {
    match slot.call(Operation::Evaluate, ENVELOPE.as_bytes()) {
        Ok(decided) => {
            let value: serde_json::Value = serde_json::from_str(&decided.text).unwrap();
            format!("{} {}", value["decision"]["risk_flags"], decided.by)
        }
        Err(error) => error.code().to_owned(),
    }
}

/// Waits for an event on another thread.
fn until(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..6000 {
        if happened() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{what} did not happen");
}

#[test]
fn a_host_that_cannot_follow_still_stops_revoked_modules() {
    let bed = bed();
    let [ours, theirs] = [SecretKey::generate().unwrap(), SecretKey::generate().unwrap()];
    let trusting = |revoked: bool| {
        format!(
            r#"{{"keys":[{{"name":"ours","public_key":"{}"}},{{"name":"theirs","public_key":"{}","revoked":{revoked}}}]}}"#,
            ours.public(),
            theirs.public()
        )
    };
    bed.slots.set_trust(None, &trusting(false)).unwrap();
    let install = |module: &[u8], key: &SecretKey| {
        let module = sign(module, key).unwrap();
        Composition::new(bed.slots.install(&module, &InstallOptions::default()).unwrap().module.digest)
    };
    let slot = bed.slot("{}");
    slot.activate(install(&flagging("one", "1.0.0", "one"), &ours), &ChangeReason::default()).unwrap();
    let canary = install(&flagging("two", "1.0.0", "two"), &theirs);
    slot.canary(Some(Canary::new(canary, 1000)), &ChangeReason::default()).unwrap();

    let large = with_section(&flagging("three", "1.0.0", "three"), "x", &[0; 20_000]);
    let limits = Limits { module_bytes: 10_000, ..Limits::default() };
    let store = Store::open(&bed.directory.path().join("store")).unwrap();
    let small =
        Slots::open(store, Host::new(HostSettings { limits, ..HostSettings::default() }).unwrap()).unwrap();
    let there = small.slot("release").unwrap();
    assert_eq!(call(&there), r#"["two"] canary"#);
    slot.activate(install(&large, &ours), &ChangeReason::default()).unwrap();
    small.refresh();
    // The host cannot load the active composition, reports it, and continues with the previous one.
    assert_eq!(call(&there), r#"["two"] canary"#);
    assert!(there.statistics().problem.unwrap().contains("10000"), "{:?}", there.statistics());

    bed.slots.set_trust(None, &trusting(true)).unwrap();
    small.refresh();
    assert_eq!(call(&there), r#"["one"] active"#);
    assert!(there.statistics().problem.is_some());
}

#[test]
fn redacted_values_appear_nowhere_else() {
    let bed = bed();
    let settings = r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":3},
        "records":{"redact":["/run_id","/workflow_id","/decision/next_step","/loop/escalation"]}}"#;
    let slot = bed.slot(settings);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default()).unwrap();
    slot.shadow(Some(alone(bed.install(&flagging("test", "1.0.0", "two")))), &ChangeReason::default())
        .unwrap();
    let secret = "secret-run-4711";
    let envelope = ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"{secret}""#), 1);
    slot.call(Operation::Evaluate, envelope.as_bytes()).unwrap();
    let store = bed.slots.store();
    until("the difference", || store.differences("release", 9).unwrap().len() == 1);
    let difference = store.differences("release", 9).unwrap().remove(0);
    assert_eq!(difference.run_id, None);
    let mut hash = None;
    store
        .read_records("release", adjudicate_host::RecordRange::default(), |record| {
            hash = Some(record.input_hash);
            Ok::<_, adjudicate_core::Error>(())
        })
        .unwrap();
    // The hash is the same, so that the record is found, and keyed, so that it confirms no guess.
    assert_eq!(Some(&difference.input), hash.as_ref());
    assert!(difference.input.starts_with("hmac-sha256:"), "{difference:?}");
    for observed in [&difference.answer, &difference.shadow] {
        assert!(observed.starts_with("success, next redacted, hmac-sha256:"), "{difference:?}");
    }
    assert_ne!(difference.answer, difference.shadow);

    // A module that puts its input where no input may be.
    let leaking = answer().replacen(r#""status":"success""#, &format!(r#""status":"{secret}""#), 1);
    let manifest = r#"{"abi":1,"name":"test","version":"1.1.0","operations":["evaluate"]}"#;
    let reply = format!(r#"{{"ok":{leaking}}}"#).into_bytes();
    let leaking = Parts { reply, manifest: Some(manifest), ..Parts::default() }.build();
    let entry = slot.activate(alone(bed.install(&leaking)), &ChangeReason::default()).unwrap();
    for step in ["1", "2", "3"] {
        let envelope = envelope.replacen(r#""step_id":"s""#, &format!(r#""step_id":"{step}""#), 1);
        slot.call(Operation::Evaluate, envelope.as_bytes()).unwrap();
    }
    until("the rollback", || slot.entry().id != entry.id);
    let note = slot.entry().note;
    assert!(note.ends_with("`test` failed with `module_invalid_decision`"), "{note}");
    bed.slots.close().unwrap();
    for file in std::fs::read_dir(store.directory()).unwrap() {
        let file = file.unwrap().path();
        let bytes = if file.is_file() { std::fs::read(&file).unwrap() } else { Vec::new() };
        // The module whose answer always has the text is in the store, too.
        let count = bytes.windows(secret.len()).filter(|window| *window == secret.as_bytes()).count();
        let bare = format!(r#""status":"{secret}""#);
        let module = bytes.windows(bare.len()).filter(|window| *window == bare.as_bytes()).count();
        assert_eq!(count, module, "{}", file.display());
    }
}

#[test]
fn a_concurrent_rollback_starts_from_the_entry_it_read() {
    let bed = bed();
    let modules: Vec<Digest> =
        ["a", "b", "c"].map(|flag| bed.install(&flagging("test", "1.0.0", flag))).to_vec();
    let first = bed.slot("{}");
    for module in &modules {
        first.activate(alone(*module), &ChangeReason::default()).unwrap();
    }
    let others = [bed.slots.clone(), open(&bed.directory), open(&bed.directory)];
    thread::scope(|scope| {
        for (place, slots) in others.iter().enumerate() {
            let modules = &modules;
            scope.spawn(move || {
                let slot = slots.slot("release").unwrap();
                for round in 0..60 {
                    let done = match (place + round) % 3 {
                        0 => slot.activate(alone(modules[round % 3]), &ChangeReason::default()),
                        _ => slot.rollback(None, &ChangeReason::default()),
                    };
                    if let Err(error) = done {
                        let expected = [codes::SLOT_CHANGED, codes::UNKNOWN_VERSION];
                        assert!(expected.contains(&error.code()), "{error}");
                    }
                }
            });
        }
    });
    let mut history = first.history(u32::MAX).unwrap();
    history.reverse();
    let mut rollbacks = 0;
    for (at, entry) in history.iter().enumerate().filter(|(_, entry)| entry.action == SlotAction::Rollback) {
        // The newest composition that no rollback replaced since, this one included.
        let mut replaced = Vec::new();
        let before = history[..at].iter().zip(&history[1..]).rev().find_map(|(before, after)| {
            let active = &before.state.active;
            if after.action == SlotAction::Rollback {
                replaced.push(active);
            }
            (active.is_some() && !replaced.contains(&active)).then_some(before)
        });
        assert_eq!(Some(&entry.state), before.map(|entry| &entry.state), "entry {}", entry.id);
        rollbacks += 1;
    }
    assert!(rollbacks > 10, "{rollbacks}");
}

/// Each change is based on an earlier read. It must not revert changes made since.
#[test]
fn a_partial_change_keeps_concurrent_changes() {
    let bed = bed();
    let [one, two] = ["one", "two"].map(|flag| alone(bed.install(&flagging("test", "1.0.0", flag))));
    let first = bed.slot("{}");
    first.activate(one, &ChangeReason::default()).unwrap();
    let change = |slot: &Slot, what: SlotAction, is_on: bool| match what {
        SlotAction::Shadow => slot.shadow(is_on.then(|| two.clone()), &ChangeReason::default()),
        SlotAction::Canary => {
            slot.canary(is_on.then(|| Canary::new(two.clone(), 500)), &ChangeReason::default())
        }
        _ => {
            let on_fault = if is_on { OnFault::FailClosed } else { OnFault::Error };
            slot.configure(SlotSettings { on_fault, ..SlotSettings::default() }, &ChangeReason::default())
        }
    };
    let others = [SlotAction::Shadow, SlotAction::Canary, SlotAction::Configure]
        .map(|what| (what, open(&bed.directory)));
    thread::scope(|scope| {
        for (what, slots) in &others {
            let change = &change;
            scope.spawn(move || {
                let slot = slots.slot("release").unwrap();
                let (mut done, mut refused) = (0, 0);
                while done < 40 {
                    match change(&slot, *what, done % 2 == 0) {
                        Ok(_) => done += 1,
                        Err(error) => {
                            assert_eq!(error.code(), codes::SLOT_CHANGED, "{error}");
                            refused += 1;
                            assert!(refused < 10_000, "nobody ever gets through");
                        }
                    }
                }
            });
        }
    });
    let mut history = first.history(u32::MAX).unwrap();
    history.reverse();
    assert_eq!(history.len(), 2 + 3 * 40);
    for pair in history[1..].windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let is_changed = [
            (SlotAction::Shadow, before.state.shadow != after.state.shadow),
            (SlotAction::Canary, before.state.canary != after.state.canary),
            (SlotAction::Configure, before.settings != after.settings),
            (SlotAction::Activate, before.state.active != after.state.active),
        ];
        for (what, is_changed) in is_changed {
            assert!(!is_changed || what == after.action, "{:?} changed by {after:?}", what);
        }
    }
}

#[test]
fn a_failing_module_requests_one_action_at_a_time() {
    let bed = bed();
    let slot = bed.slot(r#"{"rollback":{"faults":3,"calls":3}}"#);
    slot.activate(alone(bed.install(&flagging("test", "1.0.0", "one"))), &ChangeReason::default()).unwrap();
    let bad = slot.activate(alone(bed.install(&trapping("1.1.0"))), &ChangeReason::default()).unwrap();
    // If nothing can be written, no action on faults succeeds.
    let database = rusqlite::Connection::open(bed.directory.path().join("store/adjudicate.db")).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON history BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    database.execute_batch(full).unwrap();
    for _ in 0..60 {
        fail_thrice(&slot);
        assert_eq!(call(&slot), "module_trap");
    }
    until("the complaint", || {
        fail_thrice(&slot);
        slot.statistics().problem.is_some_and(|problem| problem.contains("disk is full"))
    });
    // When it can be written, the action succeeds.
    database.execute_batch("DROP TRIGGER full").unwrap();
    until("the rollback", || {
        fail_thrice(&slot);
        slot.entry().id != bad.id
    });
    assert_eq!(call(&slot), r#"["one"] active"#);
}

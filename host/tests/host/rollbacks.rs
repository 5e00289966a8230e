//! A rollback is an activation, and no failure is permissive (docs/reference/slots.md): manual and automatic rollbacks, limits,
//! traps, and the last good version.

use adjudicate_core::Operation;
use adjudicate_host::{
    Canary, ChangeReason, Composition, DecidedBy, InstallOptions, Slot, SlotAction, SlotAnswer, SlotSettings,
    Slots, Store, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Digest, ModuleLabel};
use serde_json::Value;

use super::{
    engines::{engine, host},
    guests::{ENVELOPE, Parts, answer},
    slots::{Bed, alone, bed, fail_thrice, flagging, manifest_of, run, trapping, trusting, until},
};

fn call(slot: &Slot, input: &str) -> SlotAnswer {
    slot.call(Operation::Evaluate, input.as_bytes()).unwrap()
}

fn decision(decided: &SlotAnswer) -> Value {
    let mut answer: Value = serde_json::from_str(&decided.text).unwrap();
    answer["decision"].take()
}

/// Activates modules in order. Returns the numbers of the entries.
fn activate<const N: usize>(slot: &Slot, modules: [Digest; N]) -> [i64; N] {
    modules.map(|module| slot.activate(alone(module), &ChangeReason::default()).unwrap().id)
}

fn forbid(bed: &Bed, versions: &str) {
    bed.slots.set_trust(None, &format!(r#"{{"unsigned":"allow","minimum_versions":{versions}}}"#)).unwrap();
}

/// A module with this flag that runs out of fuel for inputs longer than `length`.
fn spinning_above(length: usize, version: &str, flag: &str) -> Vec<u8> {
    let call = format!(
        "(if (i32.gt_u (local.get $len) (i32.const {length})) (then (loop $again (br $again)))) (i32.const 16)"
    );
    let unsafe_answer = answer()
        .replacen(r#""status":"success""#, r#""status":"unsafe""#, 1)
        .replacen(r#""risk_flags":[]"#, &format!(r#""risk_flags":["{flag}"]"#), 1)
        .replacen(r#""next_step":"publish""#, r#""next_step":null"#, 1);
    Parts {
        call: Box::leak(call.into_boxed_str()),
        reply: format!(r#"{{"ok":{unsafe_answer}}}"#).into_bytes(),
        manifest: Some(manifest_of("test", version)),
        ..Parts::default()
    }
    .build()
}

/// The attack: three envelopes of 19 KB that ran out of fuel rolled back to a version that `minimum_versions` forbids, and
/// `unsafe` became `success`.
#[test]
fn envelopes_that_use_up_the_fuel_cause_no_rollback() {
    let bed = bed();
    let slot = bed
        .slot(r#"{"on_fault":"fail_closed","limits":{"fuel":100000},"rollback":{"faults":3,"calls":100}}"#);
    let lax = bed.install(&flagging("test", "1.0.0", "lax"));
    let strict = bed.install(&spinning_above(10_000, "2.0.0", "strict"));
    let [_, entry] = activate(&slot, [lax, strict]);
    forbid(&bed, r#"{"test":"2.0.0"}"#);
    assert_eq!(decision(&call(&slot, ENVELOPE))["status"], "unsafe");
    for number in 0..9 {
        let long = run(number).replacen(
            r#""transcript_summary":"""#,
            &format!(r#""transcript_summary":"{}""#, "x".repeat(19_000)),
            1,
        );
        let decided = call(&slot, &long);
        assert_eq!(
            (decided.by, decided.fault.map(|error| error.code())),
            (DecidedBy::FailClosed, Some(codes::MODULE_OUT_OF_FUEL))
        );
    }
    // The watcher is notified at once, and acts within this time in all other tests.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!((slot.entry().id, slot.statistics().problem), (entry, None));
    assert_eq!(slot.statistics().faults.get("module_out_of_fuel"), Some(&9));
    let decided = call(&slot, ENVELOPE);
    assert_eq!((decision(&decided)["status"].as_str(), decided.modules), (Some("unsafe"), vec![strict]));
    // A canary is not withdrawn for them, either.
    slot.activate(alone(bed.install(&flagging("test", "2.1.0", "next"))), &ChangeReason::default()).unwrap();
    let canary = slot.canary(
        Some(Canary::new(alone(bed.install(&spinning_above(10, "2.2.0", "new"))), 1000)),
        &ChangeReason::default(),
    );
    (0..9).for_each(|number| assert_eq!(call(&slot, &run(number)).by, DecidedBy::FailClosed));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(slot.entry(), canary.unwrap());
}

#[test]
fn an_automatic_rollback_passes_over_forbidden_entries_and_notes_the_reasons() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"fail_closed","rollback":{"faults":3,"calls":100}}"#);
    let [good, early, late] = [("good", "1.0.0"), ("gate", "1.0.0"), ("gate", "1.5.0")]
        .map(|(name, version)| bed.install(&flagging(name, version, name)));
    let [_, early, late, bad] = activate(&slot, [good, early, late, bed.install(&trapping("1.0.0"))]);
    forbid(&bed, r#"{"gate":"2.0.0"}"#);
    fail_thrice(&slot);
    until("the rollback", || slot.entry().id != bad);
    let entry = slot.entry();
    assert_eq!((entry.action, &entry.state.active), (SlotAction::AutomaticRollback, &Some(alone(good))));
    let observed = format!(
        "; passed over entry {late} (`module_downgrade`: `gate` 1.5.0 is below 2.0.0, the minimum version), \
         entry {early} (`module_downgrade`: `gate` 1.0.0 is below 2.0.0, the minimum version)"
    );
    assert!(entry.note.starts_with(
        "3 faults within the last 100 calls, from 3 or more distinct inputs (`module_trap` 3); "
    ));
    assert!(entry.note.ends_with(&observed), "{}", entry.note);
}

#[test]
fn without_a_rollback_target_the_slot_fails_closed_until_an_activation() {
    for (on_fault, expected) in [("error", "slot_empty"), ("fail_closed", "unsafe"), ("last_good", "unsafe")]
    {
        let bed = bed();
        let slot = bed.slot(&format!(r#"{{"on_fault":"{on_fault}","rollback":{{"faults":3,"calls":100}}}}"#));
        let lax = bed.install(&flagging("test", "1.0.0", "lax"));
        let [lax_entry, bad] = activate(&slot, [lax, bed.install(&trapping("2.0.0"))]);
        forbid(&bed, r#"{"test":"2.0.0"}"#);
        let elsewhere = super::slots::open(&bed.directory);
        let there = elsewhere.slot("release").unwrap();
        fail_thrice(&slot);
        until("the end", || slot.entry().id != bad);
        until("the end elsewhere", || there.entry().id != bad);
        let entry = slot.entry();
        assert_eq!((entry.action, &entry.state.active), (SlotAction::AutomaticRollback, &None));
        let observed = format!(
            "; no earlier entry may be active, so the slot fails closed; passed over entry {lax_entry} (`module_downgrade`: "
        );
        assert!(entry.note.contains(&observed), "{}", entry.note);
        // The same for a newly opened store.
        let anew = super::slots::open(&bed.directory);
        for slot in [&slot, &there, &anew.slot("release").unwrap()] {
            match slot.call(Operation::Evaluate, ENVELOPE.as_bytes()) {
                Ok(decided) => {
                    assert_eq!(
                        (decided.by, decision(&decided)["status"].as_str()),
                        (DecidedBy::FailClosed, Some(expected))
                    );
                }
                Err(error) => assert_eq!(error.code(), expected),
            }
            let refined = slot.call(Operation::Refine, format!(r#"{{"envelope":{ENVELOPE}}}"#).as_bytes());
            assert_eq!(refined.unwrap_err().code(), "slot_empty");
        }
        let next = bed.install(&flagging("test", "2.1.0", "next"));
        slot.activate(alone(next), &ChangeReason::default()).unwrap();
        assert_eq!(
            (call(&slot, ENVELOPE).by, call(&slot, ENVELOPE).modules),
            (DecidedBy::Active, vec![next])
        );
        // The failed version is not a rollback target.
        assert_eq!(
            slot.rollback(None, &ChangeReason::default()).unwrap_err().code(),
            codes::MODULE_DOWNGRADE
        );
    }
}

#[test]
fn a_rollback_by_hand_is_judged_like_an_activation() {
    let bed = bed();
    let slot = bed.slot("{}");
    let [good, gate, next] = [("good", "1.0.0"), ("gate", "1.0.0"), ("gate", "2.0.0")]
        .map(|(name, version)| bed.install(&flagging(name, version, version)));
    let [first, second, _] = activate(&slot, [good, gate, next]);
    forbid(&bed, r#"{"gate":"2.0.0"}"#);
    let refused = slot.rollback(Some(second), &ChangeReason::default()).unwrap_err();
    assert_eq!(refused.code(), codes::MODULE_DOWNGRADE, "{refused}");
    // Without an entry, the target is the newest version that may be active. The note lists the passed-over entries.
    let entry = slot.rollback(None, &ChangeReason::note("the last release fails")).unwrap();
    assert_eq!((entry.action, entry.state.active), (SlotAction::Rollback, Some(alone(good))));
    assert!(
        entry.note.starts_with(&format!(
            "the last release fails; passed over entry {second} (`module_downgrade`: "
        )),
        "{}",
        entry.note
    );
    activate(&slot, [next]);
    forbid(&bed, r#"{"gate":"2.0.0","good":"9.0.0"}"#);
    let none = slot.rollback(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(none.code(), codes::MODULE_DOWNGRADE);
    let observed = none.message().to_owned();
    assert!([first, second].iter().any(|entry| observed.contains(&format!("entry {entry} "))), "{observed}");
    assert_eq!(slot.entry().state.active, Some(alone(next)));
    // A note of the largest length is kept unchanged.
    forbid(&bed, r#"{"gate":"2.0.0"}"#);
    let full = "x".repeat(ChangeReason::MAX_NOTE);
    assert_eq!(slot.rollback(None, &ChangeReason::note(full.as_str())).unwrap().note, full);
}

#[test]
fn a_rollback_is_judged_by_the_keys_trusted_now() {
    let bed = bed();
    let [ours, theirs] = [SecretKey::generate().unwrap(), SecretKey::generate().unwrap()];
    bed.slots.set_trust(None, &trusting(&[&ours, &theirs], "")).unwrap();
    let install = |version: &str, key: &SecretKey| {
        let module = sign(&flagging("test", version, version), key).unwrap();
        Composition::new(bed.slots.install(&module, &InstallOptions::default()).unwrap().module.digest)
    };
    let slot = bed.slot("{}");
    let [one, two] = [install("1.0.0", &theirs), install("2.0.0", &ours)];
    let entry = slot.activate(one, &ChangeReason::default()).unwrap().id;
    slot.activate(two.clone(), &ChangeReason::default()).unwrap();
    for (more, code) in [
        (r#""not_after":"2020-01-01T00:00:00Z","#, codes::MODULE_KEY_EXPIRED),
        (r#""revoked":true,"#, codes::MODULE_KEY_REVOKED),
    ] {
        let trust =
            trusting(&[&ours, &theirs], "").replace(r#""name":"key 1""#, &format!(r#"{more}"name":"key 1""#));
        bed.slots.set_trust(None, &trust).unwrap();
        for to in [Some(entry), None] {
            assert_eq!(slot.rollback(to, &ChangeReason::default()).unwrap_err().code(), code);
        }
        assert_eq!(slot.entry().state.active.as_ref(), Some(&two));
    }
}

/// Decisions of the last good version require human review, and the answer names both versions.
#[test]
fn the_last_good_version_answers_with_a_restriction_that_names_both_versions() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","records":{}}"#);
    let [good, bad] =
        [flagging("test", "1.0.0", "one"), trapping("1.0.1")].map(|module| bed.install(&module));
    activate(&slot, [good, bad]);
    let decided = call(&slot, ENVELOPE);
    assert_eq!((decided.by, &decided.modules), (DecidedBy::LastGood, &vec![good]));
    let answer: Value = serde_json::from_str(&decided.text).unwrap();
    assert_eq!(
        (&answer["decision"]["status"], &answer["decision"]["risk_flags"]),
        (&"needs_human".into(), &serde_json::json!(["module_fault", "one"]))
    );
    let finding = answer["findings"].as_array().unwrap().last().unwrap();
    assert_eq!(
        [&finding["rule"], &finding["flag"], &finding["blocker"], &finding["origin"]],
        ["module_fault", "module_fault", "module_fault", "test"]
    );
    assert_eq!(finding["expected"], serde_json::json!([format!("test 1.0.1 {bad}")]));
    assert_eq!(finding["actual"], serde_json::json!([format!("test 1.0.0 {good}")]));
    assert!(finding["summary"].as_str().unwrap().contains("failed with `module_trap`"), "{finding}");

    // A severe status stays severe. The same answer comes for a failing canary.
    let strict = bed.install(&spinning_above(1 << 20, "1.1.0", "strict"));
    activate(&slot, [strict]);
    slot.canary(Some(Canary::new(alone(bed.install(&trapping("1.2.0"))), 1000)), &ChangeReason::default())
        .unwrap();
    let decided = call(&slot, ENVELOPE);
    assert_eq!((decided.by, decision(&decided)["status"].as_str()), (DecidedBy::LastGood, Some("unsafe")));
    assert!(decided.text.contains("test 1.2.0") && decided.text.contains("test 1.1.0"), "{}", decided.text);
}

#[test]
fn the_last_good_version_is_one_that_may_be_activated() {
    let bed = bed();
    let slot = bed.slot(r#"{"on_fault":"last_good","records":{}}"#);
    let [good, gate, bad] = [("good", "1.0.0"), ("gate", "1.0.0")]
        .map(|(name, version)| bed.install(&flagging(name, version, name)))
        .into_iter()
        .chain([bed.install(&trapping("1.0.0"))])
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    activate(&slot, [good, gate, bad]);
    assert_eq!(call(&slot, &run(1)).modules, [gate]);
    forbid(&bed, r#"{"gate":"2.0.0"}"#);
    assert_eq!(call(&slot, &run(2)).modules, [good]);
    forbid(&bed, r#"{"gate":"2.0.0","good":"2.0.0"}"#);
    assert_eq!(call(&slot, &run(3)).by, DecidedBy::FailClosed);
    // Each record is reproduced, whatever keys are trusted now.
    let report = super::replays::replay(bed.slots.store(), super::reevaluation::host());
    assert_eq!(super::replays::observed(&report), (3, 0, vec![]), "{:?}", report.samples());
}

/// The attack: version 2 forbids `src/**` and returns `unsafe` for one changed file. With enough files it runs out of fuel, and
/// with `last_good` version 1 answered `success`.
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_limit_leads_to_the_fail_closed_decision_and_never_to_the_last_good_version() {
    let directory = tempfile::tempdir().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host(&[])).unwrap();
    let settings =
        SlotSettings::parse(br#"{"on_fault":"last_good","limits":{"fuel":4000000},"records":{}}"#).unwrap();
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    for (version, lists) in [("1.0.0", ""), ("2.0.0", r#","forbidden_paths":["src/**"]"#)] {
        let policy = format!(r#"{{"policy":"gate","version":"{version}"{lists}}}"#);
        let module = host(&[]).bake(engine(), policy.as_bytes(), &ModuleLabel::default()).unwrap();
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        let digest = slots.install(&module, &terms).unwrap().module.digest;
        slot.activate(alone(digest), &ChangeReason::default()).unwrap();
    }
    let envelope = |files: usize| {
        let diff: String = (0..files).map(|file| format!(r" M src/module_{file}.rs\n")).collect();
        ENVELOPE.replacen(
            r#""workspace_diff_summary":"""#,
            &format!(r#""workspace_diff_summary":"{diff}""#),
            1,
        )
    };
    let [few, many] = [1, 2000].map(|files| call(&slot, &envelope(files)));
    assert_eq!((few.by, decision(&few)["status"].as_str()), (DecidedBy::Active, Some("unsafe")));
    assert_eq!(many.fault.as_ref().map(|error| error.code()), Some(codes::MODULE_OUT_OF_FUEL));
    assert_eq!((many.by, decision(&many)["status"].as_str()), (DecidedBy::FailClosed, Some("unsafe")));
    assert_eq!(decision(&many)["risk_flags"], serde_json::json!(["policy_module_fault"]));
}

#[test]
fn a_restriction_cannot_use_the_origin_of_another_module() {
    let bed = bed();
    let slot = bed.slot("{}");
    let finding = r#""findings":[{"rule":"r","status":"blocked","severity":"high","summary":"s","evidence_ref":null,"resolution":{"kind":"retry","hint":"h"},"origin":"base"}]"#;
    let forging = answer().replacen(r#""findings":[]"#, finding, 1).replacen(
        r#""status":"success""#,
        r#""status":"blocked""#,
        1,
    );
    let forging = Parts {
        reply: format!(r#"{{"ok":{forging}}}"#).into_bytes(),
        manifest: Some(manifest_of("strict", "1.0.0")),
        ..Parts::default()
    };
    let [base, strict] =
        [flagging("base", "1.0.0", "one"), forging.build()].map(|module| bed.install(&module));
    slot.activate(Composition::new(base).restricted_by(strict).unsigned(), &ChangeReason::default()).unwrap();
    let answer: Value = serde_json::from_str(&call(&slot, ENVELOPE).text).unwrap();
    assert_eq!(
        (&answer["findings"][0]["rule"], &answer["findings"][0]["origin"]),
        (&"r".into(), &"strict".into())
    );
}

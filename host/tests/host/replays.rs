//! Records of calls through slots, replayed by the version that decided them: every byte is reproduced.

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    CallObservation, Canary, ChangeReason, DecidedBy, InstallOptions, RecordRange, RecordSettings, Recorder,
    Slot, SlotSettings, Slots, Store,
    reevaluation::{
        CandidateVersion, OutcomeChange, Reevaluation, ReevaluationCase, ReevaluationReport, SourceItem,
    },
};
use adjudicate_sandbox::{Digest, Host};
use adjudicate_tests::parity::read_of;

use crate::{
    engines::{engine, host},
    guests::ENVELOPE,
    reevaluation::host as plain_host,
    slots::{Bed, alone, bed, flagging, trapping},
};

/// Replays all records of the slot.
pub(crate) fn replay(store: &Store, host: Host) -> ReevaluationReport {
    let mut steps = Vec::new();
    let read = store.read_records("release", RecordRange::default(), |record| {
        steps.push(Ok(SourceItem::Line(ReevaluationCase::of_record(record)?)));
        Ok::<_, Error>(())
    });
    read.unwrap();
    let again = Reevaluation {
        before: None,
        unrecorded: CandidateVersion::Engine,
        after: CandidateVersion::recorded(store.clone(), host, "release"),
        threads: 2,
        samples: 3,
        expectations: Vec::new(),
        least: 1,
    };
    again.run(steps.into_iter(), |_| {}).unwrap()
}

/// The number of unchanged records, of changed ones, and of each obstacle.
pub(crate) fn observed(report: &ReevaluationReport) -> (u64, u64, Vec<(&'static str, u64)>) {
    let changed = report.changed(OutcomeChange::Wording);
    let obstacles = report.obstacles().map(|(obstacle, count, _)| (obstacle.as_str(), count)).collect();
    (report.compared() - changed, changed, obstacles)
}

/// Calls of an operation from the corpus, valid and invalid.
fn calls(operation: Operation) -> Vec<Vec<u8>> {
    read_of(operation).into_iter().step_by(5).map(|fixture| fixture.call).collect()
}

#[test]
fn every_operation_is_reproduced() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    let slots = Slots::open(store.clone(), host(&[])).unwrap();
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let engine = slots.install(engine(), &terms).unwrap().module.digest;
    let settings = SlotSettings::parse(br#"{"records":{"acknowledge":"queued"}}"#).unwrap();
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    slot.activate(alone(engine), &ChangeReason::default()).unwrap();
    let (mut answers, mut errors) = (0, 0);
    for operation in Operation::ALL {
        let calls = calls(*operation);
        assert!(calls.len() > 5, "{}", operation.name());
        for call in &calls {
            match slot.call(*operation, call) {
                Ok(_) => answers += 1,
                Err(_) => errors += 1,
            }
        }
    }
    assert!(answers > 100 && errors > 20, "{answers} answers, {errors} errors");
    slots.close().unwrap();
    let report = replay(&store, host(&[]));
    let (same, changed, obstacles) = observed(&report);
    assert_eq!((report.read(), changed), (answers + errors, 0), "{:?}", report.samples());
    // Text that is not UTF-8 cannot be stored.
    assert!(obstacles.iter().all(|(obstacle, _)| *obstacle == "input_not_kept"), "{obstacles:?}");
    assert!(same >= answers, "{same} of {answers} answers");
}

/// A slot with records in which `before` was active and `now` is.
fn slot_of(bed: &Bed, on_fault: &str, before: Option<&[u8]>, now: &[u8]) -> Slot {
    let slot = bed.slot(&format!(r#"{{"on_fault":"{on_fault}","records":{{}}}}"#));
    for module in before.into_iter().chain([now]) {
        slot.activate(alone(bed.install(module)), &ChangeReason::default()).unwrap();
    }
    slot
}

fn call(slot: &Slot, input: &str) -> Result<DecidedBy, String> {
    slot.call(Operation::Evaluate, input.as_bytes())
        .map(|decided| decided.by)
        .map_err(|error| error.code().to_owned())
}

#[test]
fn the_handling_of_faults_is_reproduced() {
    let good = flagging("test", "1.0.0", "one");
    for (on_fault, before, expected) in [
        ("error", Some(&good), Err("module_trap".to_owned())),
        ("fail_closed", Some(&good), Ok(DecidedBy::FailClosed)),
        ("last_good", Some(&good), Ok(DecidedBy::LastGood)),
        ("last_good", None, Ok(DecidedBy::FailClosed)),
    ] {
        let bed = bed();
        let slot = slot_of(&bed, on_fault, before.map(Vec::as_slice), &trapping("1.0.1"));
        assert_eq!(call(&slot, ENVELOPE), expected, "{on_fault}");
        assert_eq!(slot.call(Operation::Refine, b"{}").unwrap_err().code(), "module_trap");
        // The module trapped, and the host could not decide, either.
        let closed = if on_fault == "fail_closed" { "missing_field" } else { "module_trap" };
        if before.is_some() && on_fault != "last_good" {
            assert_eq!(call(&slot, r#"{"run_id":"r"}"#), Err(closed.to_owned()));
        }
        assert_eq!(call(&slot, "{"), Err("malformed_json".to_owned()));
        let report = replay(bed.slots.store(), plain_host());
        assert_eq!(observed(&report), (report.read(), 0, vec![]), "{on_fault}: {:?}", report.samples());
    }
}

#[test]
fn fallbacks_of_a_canary_are_reproduced() {
    for on_fault in ["fail_closed", "last_good"] {
        let bed = bed();
        let slot = slot_of(&bed, on_fault, None, &flagging("test", "1.0.0", "one"));
        let canary = Canary::new(alone(bed.install(&trapping("1.1.0"))), 500);
        slot.canary(Some(canary), &ChangeReason::default()).unwrap();
        let stood_in = (0..40).filter(|run| {
            let run = ENVELOPE.replacen(r#""run_id":"r""#, &format!(r#""run_id":"run-{run}""#), 1);
            call(&slot, &run).unwrap() != DecidedBy::Active
        });
        assert!((5..35).contains(&stood_in.count()));
        let report = replay(bed.slots.store(), plain_host());
        assert_eq!(observed(&report), (40, 0, vec![]), "{on_fault}: {:?}", report.samples());
    }
}

/// The record is compared with the modules, not the modules with themselves.
#[test]
fn a_fallback_with_another_answer_is_reported() {
    let bed = bed();
    let slot = slot_of(&bed, "fail_closed", None, &trapping("1.0.1"));
    let decided = slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
    let answer = decided.text.replace("policy_module_fault", "policy_module_fine");
    let other_answer = CallObservation {
        slot: "release",
        settings: &RecordSettings::default(),
        at: 0,
        operation: Operation::Evaluate,
        input: ENVELOPE.as_bytes(),
        outcome: Ok(&answer),
        by: DecidedBy::FailClosed,
        entry: decided.entry,
        modules: &[],
        fault: decided.fault.as_ref(),
        microseconds: 1,
    };
    Recorder::new(bed.slots.store().clone()).record(&other_answer).unwrap();
    assert_eq!(observed(&replay(bed.slots.store(), plain_host())), (1, 1, vec![]));
}

#[test]
fn calls_that_reached_no_module_are_not_compared() {
    let bed = bed();
    let good = flagging("test", "1.0.0", "one");
    let slot = slot_of(&bed, "fail_closed", None, &good);
    // A module that is not pinned no longer answers.
    let pins = format!(r#"{{"pins":["{}"],"threshold":0}}"#, Digest::sha256(b"another"));
    bed.slots.set_trust(None, &pins).unwrap();
    assert_eq!(call(&slot, ENVELOPE), Ok(DecidedBy::FailClosed));
    assert_eq!(observed(&replay(bed.slots.store(), plain_host())), (0, 0, vec![("not_loaded", 1)]));
}

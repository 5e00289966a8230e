//! Tests of the faults that roll a slot back or withdraw a canary.

use std::sync::Arc;

use adjudicate_conformance::{Corpus, ExpectedOutcome};
use adjudicate_core::{Error, ErrorCode, Operation, codes::Subject};
use adjudicate_sandbox::Compiler;
use adjudicate_trust::MemberFailure;

use super::{
    super::{route::MonitoredDeployment, window::Window},
    fill, silent, unwatched,
};
use crate::{
    codes,
    history::{Canary, ChangeReason, FaultRate, SlotAction, SlotSettings},
    record::DecidedBy,
};

/// An envelope that the engine accepts. Faults on inputs that the engine rejects do not count.
const ENVELOPE: &str = adjudicate_tests::envelope! { steps: "[]", exit_codes: "{}", };

/// Three faults, the lowest possible number.
const THREE: Option<FaultRate> = Some(FaultRate { faults: 3, calls: 3 });

/// The codes of errors that no module causes in a call, by the reason.
fn is_unrelated(code: ErrorCode) -> bool {
    let is_of_the_call = code.subject() != Subject::Module;
    is_of_the_call
        || code == codes::SLOT_EMPTY
        || codes::PASSING.contains(&code)
        || codes::LOADING.contains(&code)
}

/// Every new code about a module must be in one of the lists.
#[test]
fn every_code_counts_for_rollback_or_is_listed_with_the_reason_why_not() {
    let directory = tempfile::tempdir().unwrap();
    let (slots, observed) = unwatched(&directory.path().join("store"), Compiler::InProcess);
    let slot = fill(&slots, &silent(), SlotSettings { rollback: THREE, ..SlotSettings::default() });
    let route = slot.state.route.load_full();
    let active = route.active.as_ref().unwrap();
    for code in codes::TABLE.all() {
        let is_counted = FaultRate::COUNTED.contains(&code);
        let reasons = [is_counted, FaultRate::LIMITS.contains(&code), is_unrelated(code)];
        assert_eq!(reasons.iter().filter(|holds| **holds).count(), 1, "`{code}`: {reasons:?}");
        for by in [DecidedBy::Active, DecidedBy::Canary] {
            let monitored = MonitoredDeployment {
                window: Arc::new(Window::default()),
                deployment: Arc::clone(&active.deployment),
            };
            let failed =
                MemberFailure { origin: "test".to_owned(), error: Error::new(code, "on purpose").into() };
            // The number of faults and the input do not matter.
            for number in 0..6 {
                let input = distinct(ENVELOPE, number);
                let call = (monitored.window.count(), Operation::Evaluate, input.as_bytes());
                slot.count_fault(&route, &monitored, by, call, &failed);
            }
            assert_eq!(observed.try_recv().is_ok(), is_counted, "{code}");
        }
    }
    // The statistics also count limits and failures of the host.
    for code in ["host_fault", "module_out_of_fuel", "module_trap"] {
        assert_eq!(slot.statistics().faults.get(code), Some(&12), "{code}");
    }
}

/// Otherwise callers could bring down every module that fails for one input, by repeating that input.
#[test]
fn faults_of_one_or_two_inputs_cause_no_rollback_in_any_spelling() {
    let directory = tempfile::tempdir().unwrap();
    let (slots, observed) = unwatched(&directory.path().join("store"), Compiler::InProcess);
    let slot = fill(&slots, &silent(), SlotSettings { rollback: THREE, ..SlotSettings::default() });
    let fails = |input: &str| {
        let failed = slot.call(Operation::Evaluate, input.as_bytes()).unwrap_err();
        assert!(FaultRate::COUNTED.iter().any(|code| code.as_str() == failed.code()), "{failed:?}");
        observed.try_recv().ok()
    };
    let other = distinct(ENVELOPE, 1);
    let moved = ENVELOPE.replacen(r#"{"run_id":"r","#, r#"{ "#, 1).replacen(
        r#""policy_events":[]}}"#,
        r#""policy_events":[]},"run_id":"r"}"#,
        1,
    );
    for input in [ENVELOPE, &moved, &format!(" {ENVELOPE}"), &other, &format!("{other} "), ENVELOPE] {
        assert!(fails(input).is_none(), "{input}");
    }
    let seen = fails(&distinct(ENVELOPE, 2)).unwrap();
    assert_eq!(seen.action, SlotAction::AutomaticRollback);
    let counted = "3 faults within the last 3 calls, from 3 or more distinct inputs (`";
    assert!(seen.note.starts_with(counted), "{}", seen.note);
}

#[test]
fn exactly_traps_and_broken_contracts_cause_a_rollback() {
    let corpus = Corpus::read().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (slots, observed) = unwatched(&directory.path().join("store"), Compiler::InProcess);
    let mut codes_seen = Vec::new();
    for case in corpus.cases() {
        let ExpectedOutcome::Call(code) = &case.outcome else { continue };
        let call = corpus.call(case).unwrap();
        let counts = codes::TABLE.find(code).is_some_and(|code| FaultRate::COUNTED.contains(&code));
        // A fault on an input that the engine rejects does not count.
        let is_refused = counts && call.operation.call(call.input.as_bytes()).is_err();
        if codes_seen.contains(code) || is_refused {
            continue;
        }
        codes_seen.push(code.clone());
        let settings =
            SlotSettings { limits: corpus.limits(case).into(), rollback: THREE, ..SlotSettings::default() };
        let slot = fill(&slots, &corpus.module(case).unwrap(), settings);
        let mut number = 0;
        let mut ask = || {
            let mut faults = (0..3).map(|_| {
                number += 1;
                let input = distinct(&call.input, number);
                let answer = slot.call(call.operation, input.as_bytes());
                assert_eq!(answer.unwrap_err().code(), code, "{}", case.name);
                observed.try_recv().ok()
            });
            let seen = faults.by_ref().flatten().last()?;
            // Marked as done, so that the next fault is reported again.
            seen.window.answered();
            Some(seen.action)
        };
        assert_eq!(ask(), counts.then_some(SlotAction::AutomaticRollback), "{}", case.name);
        let active = slot.entry().state.active.unwrap();
        slot.canary(Some(Canary::new(active, 1000)), &ChangeReason::default()).unwrap();
        assert_eq!(ask(), counts.then_some(SlotAction::CanaryWithdrawn), "{}", case.name);
        slot.canary(None, &ChangeReason::default()).unwrap();
    }
    let mut lacking = FaultRate::COUNTED.to_vec();
    lacking.retain(|code| !codes_seen.iter().any(|seen| seen == code.as_str()));
    assert_eq!(lacking, []);
    // A deadline takes a second of computing. The tests of limits cover it.
    let limits = FaultRate::LIMITS.iter().map(|code| code.as_str()).filter(|code| *code != "module_deadline");
    for other in limits.chain(["missing_field", "own_code"]) {
        assert!(codes_seen.iter().any(|code| code == other), "{other}");
    }
}

/// The call of another run, with the same length.
fn distinct(input: &str, number: u8) -> String {
    input.replacen(r#""run_id":"r""#, &format!(r#""run_id":"{number}""#), 1)
}

#[test]
fn the_documents_list_the_faults_that_count() {
    let settings = include_str!("../../history/settings.rs");
    // Read at run time, so that the tests of the packed crate compile.
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/slots.md");
    let page = std::fs::read_to_string(page).unwrap();
    let named = |text: &str| -> Vec<String> {
        let row = |line: &str| {
            let code = line.split('`').nth(1)?;
            codes::TABLE.find(code).map(|_| code.to_owned())
        };
        let rows = text.lines().map(|line| line.trim_start_matches("/// "));
        rows.filter(|line| line.starts_with("| `")).filter_map(row).collect()
    };
    let counted: Vec<_> = FaultRate::COUNTED.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(named(settings), counted);
    let (_, section) = page.split_once("\n## Automatic rollback\n").unwrap();
    let (list, _) = section.split_once("\n## ").unwrap();
    let codes = list.split('`').skip(1).step_by(2).filter(|code| counted.iter().any(|other| other == code));
    assert_eq!(codes.collect::<Vec<_>>(), counted);
}
